% [f, g, c, gc] = mbopt_eval(h, x)   the objective of a run file at the design x, and what else is asked for
%
% f   objective; x = [] stands for the start
% g   gradient, a column
% c   constrained quantities, a column; mbopt_info(h) has their bounds
% gc  their gradients, a column for each
%
% At a design that was just asked for nothing is simulated again. A design that cannot be simulated is an error 'mbopt:simulation'.
function [f, g, c, gc] = mbopt_eval(h, x)
  if nargin < 2
    x = [];
  end
  switch nargout
    case {0, 1}
      f = mbopt_mex('eval', h, x);
    case 2
      [f, g] = mbopt_mex('eval', h, x);
    case 3
      [f, g, c, ~] = mbopt_mex('eval', h, x);
    otherwise
      [f, g, c, gc] = mbopt_mex('eval', h, x);
  end
end
