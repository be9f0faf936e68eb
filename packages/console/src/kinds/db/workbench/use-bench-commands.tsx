/** What the buttons and keys of the workbench do, and what they ask first. */

import { type Risk, riskOf } from '@gatehouse/contract/kinds/db/risk-of';
import { splitStatements } from '@gatehouse/contract/kinds/db/split-statements';
import { ConfirmDialog } from '@gatehouse/design/confirm-dialog';
import { type ReactNode, type RefObject, useState } from 'react';
import { useTranslate } from '../../../platform/i18n/words.ts';
import type { WorkKind } from './bench/work.ts';
import type { BenchTab, Wanted, Workbench } from './bench/workbench.ts';
import type { Dialect } from './dialects.ts';
import { RiskDialog } from './dialogs.tsx';
import type { EditorCommand, EditorHandle } from './editor/code-editor.tsx';
import { statementAt } from './editor/statement-at.ts';
import type { StagedEdits } from './edits/use-staged.ts';
import { useStillRunning } from './session/use-still-running.ts';

interface CommandOptions {
  bench: Workbench;
  tab: BenchTab;
  dialect: Dialect;
  edits: StagedEdits;
  editor: RefObject<EditorHandle | undefined>;
  onSave: (saving: { sql: string; name: string }) => void;
}

type Question = { asks: 'risk'; risk: Risk; wanted: Wanted } | { asks: 'staged'; wanted: Wanted };

const KINDS: Readonly<Partial<Record<EditorCommand, WorkKind>>> = {
  run: 'run',
  'run-all': 'run',
  'dry-run': 'dryRun',
  explain: 'explain',
  measure: 'explain',
};

export function useBenchCommands({ bench, tab, dialect, edits, editor, onSave }: CommandOptions) {
  const t = useTranslate();
  const [question, setQuestion] = useState<Question>();
  const isStillRunning = useStillRunning();
  const { slot, work } = tab;

  /** What is selected; else everything, or the statement at the cursor. */
  const meant = (command: EditorCommand): { sql: string; base: number } | undefined => {
    const text = bench.textOf(slot);
    const { from, to } = editor.current?.selection() ?? { from: 0, to: 0 };
    if (command !== 'run-all' && from !== to) return { sql: text.slice(from, to), base: from };
    if (command === 'run-all') return { sql: text, base: 0 };
    const found = statementAt(text, from, dialect.quoting);
    return found && { sql: found.sql, base: found.from };
  };
  const go = (wanted: Wanted) => {
    setQuestion(undefined);
    // What is staged stays where nothing was begun: on a line that is lost just now.
    if (bench.do(slot, wanted)) edits.discard(slot);
  };
  /** What was tried can be taken back, and a plan changes nothing: those are not asked about. */
  const consider = (wanted: Wanted) => {
    const risk = wanted.kind === 'run' ? riskIn(wanted.sql, dialect) : undefined;
    if (risk) setQuestion({ asks: 'risk', risk, wanted });
    else go(wanted);
  };

  const run = (command: EditorCommand) => {
    if (command === 'cancel') return bench.cancel(slot);
    const what = meant(command);
    if (!what || what.sql.trim() === '') return;
    if (command === 'save') return onSave({ sql: what.sql, name: tab.name });
    const kind = KINDS[command];
    if (!kind || isStillRunning(work)) return;
    const wanted: Wanted = { kind, ...what, ...(command === 'measure' ? { analyze: true } : {}) };
    if (edits.countIn(slot) > 0) setQuestion({ asks: 'staged', wanted });
    else consider(wanted);
  };

  let dialog: ReactNode = null;
  if (question?.asks === 'risk')
    dialog = (
      <RiskDialog risk={question.risk} onClose={() => setQuestion(undefined)} onRun={() => go(question.wanted)} />
    );
  else if (question?.asks === 'staged')
    dialog = (
      <ConfirmDialog
        open
        onOpenChange={() => setQuestion(undefined)}
        title={t('workbench.staged-title', { count: edits.countIn(slot) })}
        confirmWord={t('workbench.staged-confirm')}
        cancelWord={t('workbench.close-cancel')}
        onConfirm={() => consider(question.wanted)}
      >
        {t('workbench.staged-text')}
      </ConfirmDialog>
    );
  return { run, question: dialog };
}

function riskIn(sql: string, { quoting }: Dialect): Risk | undefined {
  for (const { sql: statement } of splitStatements(sql, quoting)) {
    const risk = riskOf(statement, quoting);
    if (risk) return risk;
  }
  return undefined;
}
