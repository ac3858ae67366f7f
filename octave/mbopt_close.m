% mbopt_close(h)   close a handle of mbopt_open
function mbopt_close(h)
  mbopt_mex('close', h);
end
