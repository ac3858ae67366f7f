% mbopt_allow_plugins(yes)   yes = 1: take every library that a run file names in [plugin NAME]
%
% Without it those alone are loaded that `mbopt plugin` of this user has built. The code of a library runs with all rights of this process.
function mbopt_allow_plugins(yes)
  mbopt_mex('allow_plugins', double(yes));
end
