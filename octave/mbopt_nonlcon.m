% [c, ceq, gc, gceq] = mbopt_nonlcon(h, x)   the constraints of a run file as fmincon takes them: c <= 0 and ceq = 0
%
% Each lower <= q <= upper becomes lower - q and q - upper, as far as there are bounds, or q - upper alone where both are equal.
% gc, gceq  gradients, a column for each
%
% Where a design cannot be simulated, all is Inf, from which an optimizer backs off.
function [c, ceq, gc, gceq] = mbopt_nonlcon(h, x)
  s = mbopt_info(h);
  lower = s.constraint_lower;
  upper = s.constraint_upper;
  same = lower == upper;
  below = isfinite(lower) & ~same;
  above = isfinite(upper) & ~same;
  try
    if nargout > 2
      [~, ~, q, gq] = mbopt_mex('eval', h, x);
    else
      [~, ~, q] = mbopt_mex('eval', h, x);
      gq = zeros(numel(s.start), numel(q));
    end
    c = [lower(below) - q(below); q(above) - upper(above)];
    ceq = q(same) - upper(same);
  catch failed
    if ~strcmp(failed.identifier, 'mbopt:simulation')
      rethrow(failed);
    end
    c = Inf(sum(below) + sum(above), 1);
    ceq = Inf(sum(same), 1);
    gq = zeros(numel(s.start), numel(lower));
  end
  c = reshape(c, sum(below) + sum(above), 1); % columns, of no rows too
  ceq = reshape(ceq, sum(same), 1);
  gc = [-gq(:, below), gq(:, above)];
  gceq = gq(:, same);
end
