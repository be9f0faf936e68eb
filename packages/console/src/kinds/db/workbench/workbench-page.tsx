/** Tree, editor, results, history: all of one open workbench. */
import type { TreeNode } from '@gatehouse/contract/kinds/db/editor';
import { ConfirmDialog } from '@gatehouse/design/confirm-dialog';
import { useCallback, useRef, useState } from 'react';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { useLeaveGuard } from '../../../platform/routing/leave-guard.ts';
import type { SqlProtocol } from '../sql-protocols.ts';
import { AskApproval } from './approval/ask-approval.tsx';
import { useBench } from './bench/use-bench.ts';
import { isRunning, isUnsettled, type Result } from './bench/work.ts';
import type { BenchAbout, BenchTab } from './bench/workbench.ts';
import { BenchFrame } from './bench-frame.tsx';
import { DIALECTS } from './dialects.ts';
import type { EditorHandle } from './editor/code-editor.tsx';
import { SqlEditor } from './editor/sql-editor.tsx';
import { stageValue } from './edits/staged.ts';
import { useStaged } from './edits/use-staged.ts';
import type { CellAt } from './grid/moved-by.ts';
import { ResultPane } from './results/result-pane.tsx';
import { ValuePanel } from './side/value-panel.tsx';
import { ToolBar } from './tool-bar.tsx';
import { useCompletionNames } from './tree/completion-names.ts';
import { createTree } from './tree/tree-store.ts';
import { useBenchCommands } from './use-bench-commands.tsx';
import { useMark } from './use-mark.ts';
import { usePanels } from './use-panels.ts';
import styles from './workbench.module.css';

interface Picked {
  slot: number;
  result: Result;
  cell: CellAt | undefined;
}

export function WorkbenchPage({ protocol, about }: { protocol: SqlProtocol; about: BenchAbout }) {
  const t = useTranslate();
  const dialect = DIALECTS[protocol];
  const open = useBench(about);
  const { bench, view, tab, session, isReady } = open;
  const panels = usePanels('history');
  const [tree] = useState(() => createTree(bench, () => [dialect.schema, bench.view.get().ready?.dbName]));
  const { slot, work } = tab;
  const names = useCompletionNames(bench, session);
  const edits = useStaged(bench);
  const editor = useRef<EditorHandle>(undefined);
  const [picked, setPicked] = useState<Picked>();
  const [asked, setAsked] = useState(0);
  const [wanted, setWanted] = useState<string>();
  const [closing, setClosing] = useState<BenchTab>();
  const place = useRef<HTMLDivElement>(null);

  const { run, question } = useBenchCommands({ bench, tab, dialect, edits, editor, onSave: panels.save });
  const mark = useMark(tab);
  const isOpenEnded = ({ slot: at, work: doing, transaction }: BenchTab) =>
    isRunning(doing) || transaction !== 'none' || edits.countIn(at) > 0;
  const guard = useLeaveGuard(session !== undefined && view.tabs.some(isOpenEnded));
  const close = (wanted: BenchTab) => {
    if (isOpenEnded(wanted)) setClosing(wanted);
    else closeNow(wanted);
  };
  const closeNow = (gone: BenchTab) => {
    setClosing(undefined);
    edits.discard(gone.slot);
    bench.closeTab(gone.slot);
  };
  const pickName = (path: readonly string[], { kind }: TreeNode) => {
    const [schema = '', , name = schema] = path;
    const isPart = kind === 'column' || kind === 'key' || kind === 'index' || kind === 'trigger';
    const isQualified = schema !== dialect.schema && kind !== 'schema';
    const shown = isPart ? (path.at(-1) ?? '') : name.replace(/\(.*$/s, '');
    const text = dialect.quoteName(shown);
    editor.current?.insert(isQualified && !isPart ? `${dialect.quoteName(schema)}.${text}` : text);
  };
  const cell =
    picked?.slot === slot && work?.results.some(({ rows }) => rows === picked.result.rows) ? picked : undefined;
  const result = cell && work?.results.find(({ rows }) => rows === cell.result.rows);
  const onText = useCallback((at: number, text: string) => bench.typed(at, text), [bench]);

  return (
    <>
      <BenchFrame
        ref={place}
        {...{ open, panels, tree }}
        words={{ tree: 'workbench.tree' }}
        onPick={pickName}
        isStaged={(each) => edits.countIn(each.slot) > 0}
        onClose={close}
        value={
          <ValuePanel
            result={result}
            cell={cell?.cell}
            staged={result && cell?.cell && edits.of(result)?.rows[cell.cell.row]}
            asked={asked}
            onStage={(value) =>
              result &&
              cell?.cell &&
              edits.change(slot, result, (before) => stageValue(before, result, cell.cell as CellAt, value))
            }
            onDone={() => place.current?.querySelector<HTMLElement>('[role=grid]')?.focus()}
          />
        }
      >
        <div className={styles.main}>
          <ToolBar work={work} isReady={isReady} readOnly={view.ready?.readOnly === true} onCommand={run}>
            <span className={styles.who} title={t('workbench.who', { database: about.database, user: about.dbUser })}>
              <b>{about.database}</b> <code>{about.dbUser}</code>
            </span>
          </ToolBar>
          <SqlEditor
            className={styles.editor}
            label={t('workbench.editor')}
            hint={t('workbench.editor-hint')}
            dialect={dialect}
            names={names}
            slot={slot}
            version={view.texts}
            textOf={bench.textOf}
            mark={mark}
            onText={onText}
            onCommand={run}
            handle={editor}
          />
          <ResultPane
            key={slot}
            bench={bench}
            tab={tab}
            dialect={dialect}
            edits={edits}
            active={cell?.cell}
            onActive={(of, at) => setPicked({ slot, result: of, cell: at })}
            onOpen={(of, at) => {
              setPicked({ slot, result: of, cell: at });
              panels.setSide('value');
              setAsked((before) => before + 1);
            }}
            onAsk={view.ready?.asks ? setWanted : undefined}
          />
        </div>
      </BenchFrame>
      {question}
      {wanted !== undefined && view.ready && (
        <AskApproval
          about={about}
          ready={view.ready}
          sql={wanted}
          onClose={() => setWanted(undefined)}
          onAsked={() => {
            setWanted(undefined);
            panels.setSide('requests');
          }}
        />
      )}
      {(closing || guard.asks) && (
        <ConfirmDialog
          open
          onOpenChange={() => (closing ? setClosing(undefined) : guard.stay())}
          title={t(closing ? 'workbench.close-title' : 'workbench.leave-title')}
          confirmWord={t(closing ? 'workbench.close-confirm' : 'workbench.leave-confirm')}
          cancelWord={t('workbench.close-cancel')}
          onConfirm={() => (closing ? closeNow(closing) : guard.leave())}
        >
          {t(isUnsettled((closing ?? tab).work) ? 'workbench.close-dry' : 'workbench.close-text')}
        </ConfirmDialog>
      )}
    </>
  );
}
