% s = mbopt_info(h)   names, start, bounds and scales of the design variables; names and bounds of the constraints; objectives; cases
function s = mbopt_info(h)
  s = mbopt_mex('info', h);
end
