/** The tables somebody may read, as the editor completes them. */
import type { SQLNamespace } from '@codemirror/lang-sql';
import { useEffect, useState } from 'react';
import { QuestionFailed, type Workbench } from '../bench/workbench.ts';

export function useCompletionNames(bench: Workbench, session: string | undefined): SQLNamespace | undefined {
  const [names, setNames] = useState<SQLNamespace>();
  useEffect(() => {
    if (session === undefined) return;
    let isWanted = true;
    bench
      .ask({ type: 'names' }, 'names')
      .then(({ tables }) => isWanted && setNames(namespaceOf(tables)))
      // Completion then knows keywords alone.
      .catch((error: unknown) => {
        if (!(error instanceof QuestionFailed)) throw error;
      });
    return () => {
      isWanted = false;
    };
  }, [bench, session]);
  return names;
}

/** Without prototypes: a table may be called `constructor`. */
export function namespaceOf(
  tables: readonly { schema: string; table: string; columns: readonly string[] }[],
): SQLNamespace {
  const schemas: Record<string, Record<string, string[]>> = Object.create(null);
  for (const { schema, table, columns } of tables) {
    schemas[schema] ??= Object.create(null) as Record<string, string[]>;
    (schemas[schema] as Record<string, string[]>)[table] = [...columns];
  }
  return schemas;
}
