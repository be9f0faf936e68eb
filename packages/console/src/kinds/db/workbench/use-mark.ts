/** Where in its text a tab's last work says that something is wrong. */
import { useMemo } from 'react';
import { type BenchTab, NOT_IN_EDITOR } from './bench/workbench.ts';
import type { Mark } from './editor/code-editor.tsx';

export function useMark({ slot, work }: BenchTab): Mark | undefined {
  const { failure, base = 0, sql = '' } = work ?? {};
  const { position, message = '' } = failure ?? {};
  return useMemo(
    () => (position === undefined || base === NOT_IN_EDITOR ? undefined : { slot, base, sql, position, message }),
    [slot, base, sql, position, message],
  );
}
