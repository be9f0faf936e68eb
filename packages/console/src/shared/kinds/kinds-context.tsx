/** Hands the console's table of kinds to floors below it: they show every kind there is and name none. */

import type { KindFacts } from '@gatehouse/contract/kinds/kind';
import { factsOf, type Kind, kindOfSession, kinds } from '@gatehouse/contract/kinds/kinds';
import { createContext, type ReactNode, useContext } from 'react';
import type { ConsoleKind, ConsoleKinds } from './console-kind.ts';

const KindsContext = createContext<ConsoleKinds | undefined>(undefined);

export function KindsProvider({ table, children }: { table: ConsoleKinds; children: ReactNode }) {
  return <KindsContext value={table}>{children}</KindsContext>;
}

export function useKinds(): ConsoleKinds {
  const table = useContext(KindsContext);
  if (!table) throw new Error('no table of kinds: is KindsProvider around this?');
  return table;
}

export interface KindRow {
  kind: Kind;
  facts: KindFacts;
  row: ConsoleKind;
}

/** In the order of the contract's table. */
export function kindRows(table: ConsoleKinds): KindRow[] {
  return kinds.map((kind) => ({ kind, facts: factsOf(kind), row: table[kind] }));
}

/** The row of whatever sessions are called so. */
export function sessionRow(table: ConsoleKinds, sessionKind: string): ConsoleKind | undefined {
  const kind = kindOfSession(sessionKind);
  return kind && table[kind];
}

export function isPlanned({ screen }: ConsoleKind): boolean {
  return 'plan' in screen;
}
