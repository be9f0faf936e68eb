/** What stands in the tabs, kept in this browser tab alone: a reload, a lost line or the end of a session take nothing of it. */
import { EDITOR_TABS } from '@gatehouse/contract/kinds/db/editor';
import { z } from 'zod';

const kept = z.object({
  current: z
    .int()
    .min(0)
    .max(EDITOR_TABS - 1),
  tabs: z
    .array(
      z.object({
        slot: z
          .int()
          .min(0)
          .max(EDITOR_TABS - 1),
        name: z.string().max(100),
        text: z.string(),
      }),
    )
    .min(1)
    .max(EDITOR_TABS),
});
export type Drafts = z.output<typeof kept>;

export function draftsKey(about: { userName: string; clusterId: string; database: string }): string {
  return `gatehouse_workbench_${about.userName}_${about.clusterId}_${about.database}`;
}

export function readDrafts(memory: Storage, key: string): Drafts | undefined {
  try {
    return kept.parse(JSON.parse(memory.getItem(key) ?? ''));
  } catch {
    return undefined;
  }
}

export function writeDrafts(memory: Storage, key: string, drafts: Drafts): void {
  try {
    memory.setItem(key, JSON.stringify(drafts));
  } catch {
    // No room for it: what is on the page is still there.
  }
}
