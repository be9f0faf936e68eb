/** The fields that documents of a collection have, as the editor completes them: asked for once in a session, when they are first wanted. */
import { useMemo } from 'react';
import { QuestionFailed, type Workbench } from '../workbench/bench/workbench.ts';

/** The group of the tree in which they are. */
const FIELDS = 'Fields';

export function useFieldNames(bench: Workbench, session: string | undefined) {
  return useMemo(() => {
    const known = new Map<string, Promise<readonly string[]>>();
    return (database: string, collection: string): Promise<readonly string[]> => {
      if (session === undefined || collection === '') return Promise.resolve([]);
      const key = JSON.stringify([database, collection]);
      const found =
        known.get(key) ??
        bench.ask({ type: 'tree', path: [database, collection, FIELDS] }, 'nodes').then(
          ({ nodes }) => nodes.map(({ name }) => name),
          (error: unknown) => {
            // Completion then knows the words of the language alone.
            if (!(error instanceof QuestionFailed)) throw error;
            return [];
          },
        );
      known.set(key, found);
      return found;
    };
  }, [bench, session]);
}
