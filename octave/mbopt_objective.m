% [f, g] = mbopt_objective(h, x)   mbopt_eval for optimizers: Inf where a design cannot be simulated, from which they back off
function [f, g] = mbopt_objective(h, x)
  try
    if nargout > 1
      [f, g] = mbopt_mex('eval', h, x);
    else
      f = mbopt_mex('eval', h, x);
    end
  catch failed
    if ~strcmp(failed.identifier, 'mbopt:simulation')
      rethrow(failed);
    end
    f = Inf;
    g = zeros(size(x));
  end
end
