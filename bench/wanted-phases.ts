/** Which phases of a benchmark are to run: those named as arguments, or all. A name that is none ends it before it begins. */
export function wantedPhases<P extends string>(phases: Readonly<Record<P, unknown>>): P[] {
  const known = Object.keys(phases) as P[];
  const words = process.argv.slice(2);
  const unknown = words.filter((word) => !known.some((name) => name === word));
  if (unknown.length > 0) {
    process.stderr.write(`no phase is called ${unknown.join(', ')}; there are: ${known.join(', ')}\n`);
    process.exit(2);
  }
  return known.filter((name) => words.length === 0 || words.includes(name));
}
