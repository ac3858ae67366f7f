% h = mbopt_open(file, setting, ...)   a run file as a handle, with settings as --set takes them: 'section.key=value'
%
% The handle lives until mbopt_close(h).
function h = mbopt_open(file, varargin)
  h = mbopt_mex('open', file, varargin);
end
