/** Takes a result away as a file: what is shown, or all of it by running its statement once more. */
import type { ExportFormat } from '@gatehouse/contract/kinds/db/editor';
import { useEffect, useRef, useState } from 'react';
import { saveFile } from '../../../../platform/browser/save-file.ts';
import type { Failure, Result } from '../bench/work.ts';
import type { Workbench } from '../bench/workbench.ts';
import { FileParts, resultFile } from './result-file.ts';

export type ExportState =
  | { is: 'none' }
  | { is: 'running'; bytes: number; cancel: () => void }
  | { is: 'done'; rows: number; bytes: number }
  | { is: 'failed'; failure: Failure };

/** What is shown of a result, as a file. */
export type FileOf = (result: Result, format: ExportFormat) => Blob;

const rowsFile: FileOf = (result, format) => resultFile(format, result.names, result.rows.rows());

export function useExport(bench: Workbench, slot: number, fileOf = rowsFile) {
  const [state, setState] = useState<ExportState>({ is: 'none' });
  const running = useRef<() => void>(undefined);
  // Nobody is there to take it.
  useEffect(() => () => running.current?.(), []);
  const nameOf = (format: ExportFormat) => `${bench.about.database}.${format}`;

  return {
    state,
    close: () => setState({ is: 'none' }),
    shown(result: Result, format: ExportFormat) {
      saveFile(fileOf(result, format), nameOf(format));
    },
    whole(sql: string, format: ExportFormat) {
      const file = new FileParts(format);
      const cancel = bench.follow({ type: 'export', tab: slot, sql, format }, (answer) => {
        if (answer.type === 'piece') {
          file.add(answer.text);
          setState((before) => (before.is === 'running' ? { ...before, bytes: file.size } : before));
        } else if (answer.type === 'done') {
          running.current = undefined;
          saveFile(file.whole(), nameOf(format));
          setState({ is: 'done', rows: answer.rows, bytes: file.size });
        } else if (answer.type === 'failed') {
          running.current = undefined;
          setState({ is: 'failed', failure: answer });
        } else return false;
        return answer.type !== 'piece';
      });
      running.current = cancel;
      if (cancel) setState({ is: 'running', bytes: 0, cancel });
    },
  };
}
