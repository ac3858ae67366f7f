% s = mbopt_simulate(h, x, i)   the motion of case i (from 1, else the first) at the design x (else [], the start)
%
% s.values has a column for each of s.names, with the units s.units: those of trajectory.csv.
function s = mbopt_simulate(h, x, i)
  if nargin < 2
    x = [];
  end
  if nargin < 3
    i = 1;
  end
  s = mbopt_mex('simulate', h, x, i);
end
