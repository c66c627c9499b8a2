// LIKE patterns: `%` any text, `_` one character, `[abc]` and `[^abc]` sets; ESCAPE names the
// character that makes the next one plain.

const cache = new Map<string, RegExp>();
const CACHE_MAX = 200;

export function likePattern(pattern: string, escape: string | undefined): RegExp {
  const key = `${escape ?? ""}\u0000${pattern}`;
  const known = cache.get(key);
  if (known !== undefined) return known;
  const chars = Array.from(pattern);
  let source = "";
  for (let at = 0; at < chars.length; at += 1) {
    const char = chars[at] ?? "";
    if (char === escape && at + 1 < chars.length) {
      at += 1;
      source += plain(chars[at] ?? "");
    } else if (char === "%") source += ".*";
    else if (char === "_") source += ".";
    else if (char === "[" && chars.indexOf("]", at) > at) {
      const end = chars.indexOf("]", at);
      source += `[${chars
        .slice(at + 1, end)
        .join("")
        .replaceAll("\\", "\\\\")}]`;
      at = end;
    } else source += plain(char);
  }
  const compiled = new RegExp(`^${source}$`, "su");
  if (cache.size >= CACHE_MAX) cache.clear();
  cache.set(key, compiled);
  return compiled;
}

function plain(char: string): string {
  return char.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}
