/** One role: as a form and as its text side by side, and beside them what saving would change. */
import { roleDocument } from '@gatehouse/contract/access/roles/role-document';
import type { RoleItem } from '@gatehouse/contract/access/roles/roles';
import { Button } from '@gatehouse/design/button';
import { Notice } from '@gatehouse/design/notice';
import { SegmentedControl } from '@gatehouse/design/segmented-control';
import { type ReactNode, useEffect, useState } from 'react';
import { useTranslate } from '../../platform/i18n/words.ts';
import { useLeaveGuard } from '../../platform/routing/leave-guard.ts';
import { useUser } from '../../platform/sign-in/user.ts';
import { capture } from '../../platform/telemetry/usage.ts';
import { ConflictDialog } from '../../shared/document-editor/conflict-dialog.tsx';
import { DocumentScreen } from '../../shared/document-editor/document-screen.tsx';
import { documentSchema } from '../../shared/document-editor/editor/document-schema.ts';
import { LeaveDialog } from '../../shared/document-editor/leave-dialog.tsx';
import { textsAt } from '../../shared/document-editor/read-document.ts';
import { TextPane } from '../../shared/document-editor/text-pane.tsx';
import { useDraft } from '../../shared/document-editor/use-draft.ts';
import { EffectsPane } from './effects-pane.tsx';
import { ReviewDialog } from './review-dialog.tsx';
import styles from './role-editor.module.css';
import { RoleForm } from './role-form.tsx';
import { useDraftEffects } from './use-draft-effects.ts';

const SCHEMA = documentSchema(roleDocument);
const PANES = ['form', 'text', 'effects'] as const;
export type Pane = (typeof PANES)[number];

interface RoleEditorProps {
  /** The role as it is saved now; nothing for one that is being made. */
  role: RoleItem | undefined;
  /** What a new role begins as. */
  startText: string;
  /** What another screen has begun to change in it. */
  handed: string | undefined;
  /** How many hold it; unknown for those who may not list users. */
  holders: number | undefined;
  /** From the address: which pane a narrow window shows. */
  pane: string | undefined;
  onPane: (pane: Pane) => void;
  onBack: () => void;
  onSaved: (name: string) => void;
  /** Further actions in the header. */
  actions?: ReactNode;
}

export function RoleEditor({
  role,
  startText,
  handed,
  holders,
  pane: given,
  onPane,
  onBack,
  onSaved,
  actions,
}: RoleEditorProps) {
  const t = useTranslate();
  const { userAcl } = useUser();
  const mayEdit = role ? userAcl.roles.edit : userAcl.roles.create;
  const draft = useDraft(role, startText, handed);
  const whatIf = useDraftEffects(draft.text, draft.isReadable && draft.isChanged && userAcl.roles.edit);
  const problems = draft.isReadable ? whatIf.problems : draft.problems;
  const [open, setOpen] = useState<'review' | 'conflict'>();
  const [notes, setNotes] = useState<readonly string[]>([]);
  const leaving = useLeaveGuard(mayEdit && draft.isChanged);
  const isOvertaken = role !== undefined && draft.base !== undefined && role.revision !== draft.base.revision;
  const isNameless = draft.isReadable && (textsAt(draft.value, ['metadata', 'name'])[0] ?? '').trim() === '';
  const pane = PANES.find((each) => each === given) ?? 'form';

  // Without changes of one's own, the newer version simply takes the old one's place.
  const { rebase } = draft;
  useEffect(() => {
    if (isOvertaken && !draft.isChanged && role) rebase(role, role.content);
  });

  const tell = (what: 'Save' | 'Cancel', doIt: () => void) => () => {
    if (!role) capture({ event: `tp.ui.createNewRole${what}.click` });
    doIt();
  };
  return (
    <DocumentScreen
      back={{ label: t('roles.all'), onBack: tell('Cancel', onBack) }}
      title={role?.name ?? t('roles.new')}
      unsaved={role ? draft.changes : 0}
      isReadOnly={!mayEdit}
      overtaken={
        isOvertaken && draft.isChanged
          ? { title: t('roles.overtaken'), onSeeBoth: () => setOpen('conflict') }
          : undefined
      }
      tools={
        <>
          {holders !== undefined && role && (
            <span className={styles.holders}>{t('roles.held-by', { count: holders })}</span>
          )}
          <div className={styles.actions}>
            {actions}
            {mayEdit && draft.isChanged && role && (
              <Button tone="ghost" onClick={() => draft.rebase(role, role.content)}>
                {t('access.discard')}
              </Button>
            )}
            {mayEdit && (
              <Button
                tone="primary"
                disabled={!draft.isChanged || isNameless || problems.length > 0 || isOvertaken}
                disabledReason={isNameless ? t('document.needs-name') : reasonNot(t, draft.isChanged, problems.length)}
                onClick={tell('Save', () => setOpen('review'))}
              >
                {t(role ? 'roles.review' : 'roles.create')}
              </Button>
            )}
          </div>
        </>
      }
    >
      {notes.length > 0 && (
        <Notice className={styles.notice} title={t('roles.notes')} onDismiss={() => setNotes([])}>
          {notes.join(' ')}
        </Notice>
      )}
      <div className={styles.switcher}>
        <SegmentedControl
          label={t('document.panes')}
          value={pane}
          onValueChange={onPane}
          segments={PANES.map((value) => ({ value, label: t(`document.pane-${value}`) }))}
        />
      </div>
      <div className={styles.panes} data-pane={pane}>
        <section
          className={styles.form}
          aria-label={t('document.pane-form')}
          // With every field disabled, the keyboard could not scroll it.
          tabIndex={mayEdit && draft.isReadable ? undefined : 0}
        >
          <RoleForm
            document={{
              value: draft.value,
              saved: draft.savedValue,
              isReadOnly: !mayEdit || !draft.isReadable,
              set: draft.setField,
            }}
            isBehind={!draft.isReadable}
            isNew={role === undefined}
          />
        </section>
        <TextPane
          label={t('roles.text-label')}
          schema={SCHEMA}
          className={styles.text}
          draft={draft}
          problems={problems}
          isNameless={isNameless}
          isReadOnly={!mayEdit}
        />
        <EffectsPane
          className={styles.effects}
          whatIf={whatIf}
          isChanged={draft.isChanged}
          isFaulty={problems.length > 0}
          role={role?.name}
          holders={holders}
        />
      </div>
      {open === 'review' && (
        <ReviewDialog
          name={role?.name}
          draft={draft}
          effects={whatIf.effects}
          onClose={() => setOpen(undefined)}
          onConflict={() => setOpen('conflict')}
          onSaved={(saved) => {
            setOpen(undefined);
            draft.rebase(saved, saved.content);
            setNotes(saved.notes ?? []);
            // A new role goes on at an address of its own.
            if (!role) leaving.letGo();
            onSaved(saved.name);
          }}
        />
      )}
      {open === 'conflict' && role && (
        <ConflictDialog draft={draft} name={role.name} theirs={role} onClose={() => setOpen(undefined)} />
      )}
      {leaving.asks && <LeaveDialog onStay={leaving.stay} onLeave={leaving.leave} />}
    </DocumentScreen>
  );
}

function reasonNot(t: ReturnType<typeof useTranslate>, isChanged: boolean, problems: number): string {
  if (problems > 0) return t('document.mend-first');
  return isChanged ? t('roles.overtaken') : t('document.nothing-changed');
}
