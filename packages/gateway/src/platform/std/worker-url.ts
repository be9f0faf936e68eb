/** Where a worker thread's script lies: beside its source in a clone, in the one flat folder of the bundle otherwise. */
export function workerUrl(name: string, importer: string): URL {
  const extension = importer.endsWith('.ts') ? 'ts' : 'js';
  return new URL(`./${name}.${extension}`, importer);
}
