import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { auditEventsPage, PAGE } from './audit-events-page.ts';

test('docs/audit-events.md is what the catalogue says; if not, run `node tools/audit-events-page.ts`', () => {
  expect(readFileSync(PAGE, 'utf8')).toBe(auditEventsPage());
});
