/** MongoDB: its collections, what is asked of them, the documents that were found, and one of them to read and change. */
import type { TreeNode } from '@gatehouse/contract/kinds/db/editor';
import { ConfirmDialog } from '@gatehouse/design/confirm-dialog';
import { useCallback, useMemo, useRef, useState } from 'react';
import { asSentence } from '../../../platform/i18n/formats.ts';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { useBench } from '../workbench/bench/use-bench.ts';
import { isRunning } from '../workbench/bench/work.ts';
import type { BenchAbout, BenchTab } from '../workbench/bench/workbench.ts';
import { BenchFrame } from '../workbench/bench-frame.tsx';
import { CodeEditor, type EditorCommand, type EditorHandle, type Mark } from '../workbench/editor/code-editor.tsx';
import { useStillRunning } from '../workbench/session/use-still-running.ts';
import { createTree } from '../workbench/tree/tree-store.ts';
import { usePanels } from '../workbench/use-panels.ts';
import { DocumentPanel, type WantedWrite } from './document-panel.tsx';
import styles from './documents.module.css';
import { DocumentsBar } from './documents-bar.tsx';
import { DocumentsPane } from './documents-pane.tsx';
import { mongoLanguage } from './mongo-language.ts';
import { openDocument } from './open-document.ts';
import { QueryFields } from './query-fields.tsx';
import {
  countText,
  isReading,
  MAIN_FIELD,
  type QueryMode,
  textOfForm,
  type WrongField,
  wrongIn,
} from './query-form.ts';
import { useFieldNames } from './use-field-names.ts';
import { useForms } from './use-forms.ts';
import { WriteDialog } from './write-dialog.tsx';

const EXAMPLES: Readonly<Record<QueryMode, string>> = {
  find: '{ state: "new" }',
  aggregate: '[{ $match: { state: "new" } }]',
  command: '{ collStats: "orders" }',
};
const nothingStaged = () => false;

export function DocumentsPage({ about }: { about: BenchAbout }) {
  const t = useTranslate();
  const open = useBench(about);
  const { bench, view, tab, session, isReady } = open;
  const panels = usePanels('value');
  const [tree] = useState(() => createTree(bench, () => [bench.view.get().ready?.dbName]));
  const isStillRunning = useStillRunning();
  const { slot, work } = tab;
  const forms = useForms(bench, view.ready?.dbName ?? about.dbName);
  const form = forms.of(slot);
  const fieldsOf = useFieldNames(bench, session);
  const [wrong, setWrong] = useState<WrongField & { slot: number }>();
  const [picked, setPicked] = useState<{ work: number; index: number } | 'new'>();
  const [write, setWrite] = useState<WantedWrite>();
  const [closing, setClosing] = useState<BenchTab>();
  /** Counts up where something else than typing changed what stands in the fields. */
  const [shows, setShows] = useState(0);
  const editor = useRef<EditorHandle>(undefined);

  const main = MAIN_FIELD[form.mode];
  const textOf = useCallback((at: number) => forms.of(at)[MAIN_FIELD[forms.of(at).mode]], [forms]);
  const onText = useCallback(
    (at: number, text: string) => {
      setWrong(undefined);
      forms.change(at, { [MAIN_FIELD[forms.of(at).mode]]: text });
    },
    [forms],
  );
  const { mode, database, collection } = form;
  const language = useMemo(
    () => mongoLanguage(mode, () => fieldsOf(database, collection)),
    [mode, fieldsOf, database, collection],
  );

  const run = (wanted = form, textOfIt: (of: typeof form) => string = textOfForm) => {
    if (isStillRunning(work)) return;
    const found = wrongIn(wanted, {
      needsDocument: t('mongo.needs-document'),
      needsList: t('mongo.needs-list'),
      needsNumber: t('mongo.needs-number'),
      needsCollection: t('mongo.needs-collection'),
    });
    setWrong(found && { ...found, slot });
    if (found) return;
    setPicked(undefined);
    bench.do(slot, { kind: 'run', sql: textOfIt(wanted), base: 0 });
  };
  const onCommand = (command: EditorCommand) => {
    if (command === 'cancel') bench.cancel(slot);
    else if (command === 'save') {
      const sql = textOfForm(form);
      if (sql !== '') panels.save({ sql, name: tab.name });
    } else if (command === 'run' || command === 'run-all') run();
  };
  const pick = (path: readonly string[], { kind }: TreeNode) => {
    const [ofDatabase = '', ofCollection] = path;
    if (kind === 'column') editor.current?.insert(JSON.stringify(path.at(-1)));
    else if (ofCollection !== undefined) {
      const asked = form.mode === 'command' ? 'find' : form.mode;
      const isSame = form.collection === ofCollection && form.database === ofDatabase;
      // What was asked of another collection means nothing here.
      const fresh = isSame ? {} : { filter: '', projection: '', sort: '', skip: '', pipeline: '' };
      const next = { ...form, ...fresh, mode: asked, database: ofDatabase, collection: ofCollection };
      forms.change(slot, next);
      setShows((before) => before + 1);
      if (panels.isNarrow) panels.setShowsTree(false);
      run(next);
    }
  };

  const here = picked !== 'new' && picked?.work === work?.id ? picked : undefined;
  const isWriting = isReady && view.ready?.readOnly === false;
  const opened = picked === 'new' ? ('new' as const) : here && openDocument(work?.results[0], here.index, isWriting);
  const into = collection.trim() === '' || mode === 'command' ? undefined : { database, collection };
  const mark: Mark | undefined = useMemo(
    () =>
      wrong && wrong.slot === slot && wrong.field === main
        ? { slot, base: 0, sql: textOf(slot), position: wrong.position, message: asSentence(wrong.message) }
        : undefined,
    [wrong, slot, main, textOf],
  );
  const choose = (index: number) => work && setPicked({ work: work.id, index });
  const close = (gone: BenchTab) => {
    setClosing(undefined);
    bench.closeTab(gone.slot);
  };
  return (
    <>
      <BenchFrame
        {...{ open, panels, tree }}
        words={{ tree: 'mongo.tree', value: 'mongo.side-document', readOnlyHint: 'mongo.read-only-hint' }}
        onPick={pick}
        isStaged={nothingStaged}
        onClose={(gone) => (isRunning(gone.work) ? setClosing(gone) : close(gone))}
        value={<DocumentPanel open={opened} into={into} onWrite={setWrite} />}
      >
        <div className={styles.main}>
          <DocumentsBar
            about={about}
            work={work}
            isReady={isReady}
            onCount={form.mode === 'find' ? () => run(form, countText) : undefined}
            onCommand={onCommand}
          />
          <QueryFields
            form={form}
            wrong={wrong?.slot === slot ? wrong : undefined}
            onChange={(next) => {
              setWrong(undefined);
              forms.change(slot, next);
            }}
            onRun={() => run()}
          />
          <CodeEditor
            // What stands in it is another field then.
            key={`${mode} ${shows}`}
            className={styles.editor}
            label={t(`mongo.editor-${mode}`)}
            hint={t(`mongo.hint-${mode}`, { example: EXAMPLES[mode] })}
            language={language}
            slot={slot}
            version={view.texts}
            textOf={textOf}
            mark={mark}
            onText={onText}
            onCommand={onCommand}
            handle={editor}
          />
          {wrong?.slot === slot && wrong.field === main && (
            <p className={styles.wrong} role="alert">
              {asSentence(wrong.message)}
            </p>
          )}
          <DocumentsPane
            key={slot}
            bench={bench}
            tab={tab}
            chosen={here?.index}
            onChoose={choose}
            onOpen={(index) => {
              choose(index);
              panels.setSide('value');
            }}
            onAdd={
              isWriting && into
                ? () => {
                    setPicked('new');
                    panels.setSide('value');
                  }
                : undefined
            }
          />
        </div>
      </BenchFrame>
      {write && (
        <WriteDialog
          bench={bench}
          slot={slot}
          write={write}
          onClose={() => setWrite(undefined)}
          onWritten={() => {
            setWrite(undefined);
            setPicked(undefined);
            // What was looked at, as it is now; the fields may say something else by then.
            if (work && isReading(work.sql)) bench.do(slot, { kind: 'run', sql: work.sql, base: 0 });
            else run();
          }}
        />
      )}
      {closing && (
        <ConfirmDialog
          open
          onOpenChange={() => setClosing(undefined)}
          title={t('workbench.close-title')}
          confirmWord={t('workbench.close-confirm')}
          cancelWord={t('workbench.close-cancel')}
          onConfirm={() => close(closing)}
        >
          {t('mongo.close-text')}
        </ConfirmDialog>
      )}
    </>
  );
}
