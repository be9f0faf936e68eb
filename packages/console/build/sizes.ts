/** Prints what each page and each flow of enrolling needs at first, gzipped; fails when a budget is broken. */
import { filesWithCatalogue, type PageSize, pageSizes } from './page-sizes.ts';

for (const page of await pageSizes()) report(page);
for (const file of await filesWithCatalogue()) {
  console.log(`the catalogue of events is in ${file}, which every page fetches: import it in src/evidence/audit alone`);
  process.exitCode = 1;
}

function report({ title, total, budget, files }: PageSize): void {
  console.log(`${title}: ${kilobytes(total)} of ${kilobytes(budget)} kB gzip in ${files.length} files`);
  for (const { file, size } of files) console.log(`  ${kilobytes(size).padStart(7)}  ${file}`);
  if (total > budget) process.exitCode = 1;
}

function kilobytes(bytes: number): string {
  return (bytes / 1000).toFixed(1);
}
