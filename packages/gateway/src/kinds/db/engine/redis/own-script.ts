/** The one script of our own. It looks at the keys that it is given and chooses no database: it passes where others do not. */

/** Of all of them at once: with a command for each key, a list would be hundreds of lines in the log. */
export const KINDS_AND_ENDS = `local r = {} for i, k in ipairs(KEYS) do r[#r+1] = redis.call('TYPE', k).ok r[#r+1] = redis.call('PTTL', k) end return r`;
