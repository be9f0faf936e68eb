/** MongoDB: its collections, what is asked of them, the documents that were found, and one of them to read and change. */
import type { TreeNode } from '@gatehouse/contract/kinds/db/editor';
import { ConfirmDialog } from '@gatehouse/design/confirm-dialog';
import { Suspense, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useBrowser } from '../../../platform/browser/browser-services.tsx';
import { useStore } from '../../../platform/browser/store.ts';
import { asSentence } from '../../../platform/i18n/formats.ts';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { FactorQuestion } from '../../../shared/credentials/factor-question.tsx';
import { isRunning } from '../workbench/bench/work.ts';
import { type BenchAbout, type BenchTab, createWorkbench } from '../workbench/bench/workbench.ts';
import { BenchTabs } from '../workbench/bench-tabs.tsx';
import { SaveDialog } from '../workbench/dialogs.tsx';
import { CodeEditor, type EditorCommand, type EditorHandle, type Mark } from '../workbench/editor/code-editor.tsx';
import { BenchBanner } from '../workbench/session/bench-banner.tsx';
import { StatusLine } from '../workbench/session/status-line.tsx';
import { PanelToggles, SidePanel, type SideTab } from '../workbench/side/side-panel.tsx';
import { SchemaTree } from '../workbench/tree/schema-tree.tsx';
import { createTree } from '../workbench/tree/tree-store.ts';
import benchStyles from '../workbench/workbench.module.css';
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

/** Below this there is room for one thing at a time. */
const NARROW = '(max-width: 1100px)';
const EXAMPLES: Readonly<Record<QueryMode, string>> = {
  find: '{ state: "new" }',
  aggregate: '[{ $match: { state: "new" } }]',
  command: '{ collStats: "orders" }',
};
const nothingStaged = () => false;

export function DocumentsPage({ about }: { about: BenchAbout }) {
  const t = useTranslate();
  const browser = useBrowser();
  const [bench] = useState(() => createWorkbench(browser, window.sessionStorage, about));
  const [tree] = useState(() => createTree(bench, () => [bench.view.get().ready?.dbName]));
  useEffect(() => {
    bench.start();
    return () => bench.stop();
  }, [bench]);
  const view = useStore(bench.view);
  const tab = view.tabs.find(({ slot }) => slot === view.current) ?? (view.tabs[0] as BenchTab);
  const { slot, work } = tab;
  const session = view.line.is === 'ready' ? view.line.ready.sid : undefined;
  const isReady = session !== undefined;
  const forms = useForms(bench, view.ready?.dbName ?? about.dbName);
  const form = forms.of(slot);
  const fieldsOf = useFieldNames(bench, session);
  const [isNarrow] = useState(() => window.matchMedia?.(NARROW).matches === true);
  const [showsTree, setShowsTree] = useState(!isNarrow);
  const [side, setSide] = useState<SideTab | undefined>(isNarrow ? undefined : 'value');
  const [wrong, setWrong] = useState<WrongField & { slot: number }>();
  const [picked, setPicked] = useState<{ work: number; index: number } | 'new'>();
  const [write, setWrite] = useState<WantedWrite>();
  const [saving, setSaving] = useState<{ sql: string; name: string }>();
  const [saved, setSaved] = useState(0);
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
    if (isRunning(work)) return;
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
      if (sql !== '') setSaving({ sql, name: tab.name });
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
      if (isNarrow) setShowsTree(false);
      run(next);
    }
  };

  const here = picked !== 'new' && picked?.work === work?.id ? picked : undefined;
  const isWriting = isReady && view.ready?.readOnly === false;
  const open = picked === 'new' ? ('new' as const) : here && openDocument(work?.results[0], here.index, isWriting);
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
    <div className={benchStyles.bench} data-tree={showsTree || undefined} data-side={side !== undefined || undefined}>
      <BenchTabs
        bench={bench}
        tabs={view.tabs}
        current={slot}
        isStaged={nothingStaged}
        onClose={(gone) => (isRunning(gone.work) ? setClosing(gone) : close(gone))}
      >
        <PanelToggles
          tree={t('mongo.tree')}
          showsTree={showsTree}
          side={side}
          onTree={() => setShowsTree(!showsTree)}
          onSide={(next) => setSide(side === undefined ? next : undefined)}
        />
      </BenchTabs>
      <BenchBanner view={view} name={about.database} onAgain={bench.again} />
      <div className={benchStyles.middle}>
        {showsTree && (
          <aside className={benchStyles.tree} aria-label={t('mongo.tree')}>
            <SchemaTree tree={tree} session={session} label={t('mongo.tree')} onPick={pick} />
          </aside>
        )}
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
              setSide('value');
            }}
            onAdd={
              isWriting && into
                ? () => {
                    setPicked('new');
                    setSide('value');
                  }
                : undefined
            }
          />
        </div>
        {side !== undefined && (
          <SidePanel
            bench={bench}
            side={side}
            version={`${session} ${saved} ${view.tabs.map((each) => each.work?.ended ?? 0).join(' ')}`}
            valueWord="mongo.side-document"
            onSide={setSide}
            onClose={() => setSide(undefined)}
          >
            <DocumentPanel open={open} into={into} onWrite={setWrite} />
          </SidePanel>
        )}
      </div>
      <StatusLine view={view} tab={tab} readOnlyHint="mongo.read-only-hint" />
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
      {saving && (
        <SaveDialog
          bench={bench}
          {...saving}
          onClose={() => setSaving(undefined)}
          onSaved={() => {
            setSaving(undefined);
            setSaved((before) => before + 1);
            setSide('saved');
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
      {view.challenge && (
        <Suspense>
          <FactorQuestion
            name={about.database}
            challenge={view.challenge}
            onAnswer={bench.answerFactor}
            onClose={bench.giveUp}
          />
        </Suspense>
      )}
    </div>
  );
}
