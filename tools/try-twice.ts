/** Fails every test at the end of its first try, so that the second is seen: `TRY_TWICE=1 vitest run --project browser e2e/pages`. What cannot be done twice cannot be tried again. */
import { afterEach } from 'vitest';

const seen = new Set<string>();

afterEach(({ task }) => {
  if (seen.has(task.id)) return;
  seen.add(task.id);
  throw new Error('the first try fails on purpose');
});
