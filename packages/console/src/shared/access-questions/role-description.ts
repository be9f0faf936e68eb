/** What a role says about itself, read from its text without a reader of YAML: lists show it before anything else is fetched. */

/** The first `description:` under `metadata`, in one line; nothing where it is written another way. */
export function descriptionIn(content: string): string | undefined {
  const [, metadata = ''] = /^metadata:[ \t]*(?:#.*)?\n((?:[ \t]+.*(?:\n|$)|[ \t]*\n)+)/m.exec(content) ?? [];
  const [, written = ''] = /^[ \t]+description:[ \t]+(.+)$/m.exec(metadata) ?? [];
  return unquoted(written.trim()) || undefined;
}

function unquoted(written: string): string {
  if (/^[|>&*!]/.test(written)) return '';
  const single = /^'((?:[^']|'')*)'/.exec(written);
  if (single) return (single[1] ?? '').replaceAll("''", "'");
  const double = /^"((?:[^"\\]|\\.)*)"/.exec(written);
  if (double) return (double[1] ?? '').replaceAll(/\\(.)/g, '$1');
  return written.replace(/\s+#.*$/, '');
}
