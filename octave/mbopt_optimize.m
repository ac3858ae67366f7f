% s = mbopt_optimize(h)   minimize with the optimizer of the run file: s.x, s.status, s.text, s.objective, s.start, s.violation, ...
function s = mbopt_optimize(h)
  s = mbopt_mex('optimize', h);
end
