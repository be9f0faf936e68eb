/** Asks once, does it to each, and tells by name for whom it was not done and why; those can be tried again. */
import { Button } from '@gatehouse/design/button';
import { Dialog } from '@gatehouse/design/dialog';
import { LabelChip } from '@gatehouse/design/label-chip';
import { Notice } from '@gatehouse/design/notice';
import { Progress } from '@gatehouse/design/progress';
import { TextField } from '@gatehouse/design/text-field';
import { type SubmitEvent, useId, useState } from 'react';
import { useApi } from '../../../platform/browser/use-api.ts';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { useUser } from '../../../platform/sign-in/user.ts';
import { useRefreshAccess } from '../../../shared/access-questions/access-queries.ts';
import { EffectsPanel } from '../../../shared/access-questions/effects-panel.tsx';
import { RolePicker } from '../../../shared/access-questions/role-picker.tsx';
import { useWhatIf } from '../../../shared/access-questions/use-what-if.ts';
import { LockTermsFields, lockSeconds, OPEN_END } from '../../../shared/locking/lock-terms.tsx';
import type { Link } from '../made-link.tsx';
import { isLocal, type UserRow } from '../user-facts.ts';
import styles from './bulk.module.css';
import { type BulkAction, type BulkChoice, doToUser } from './bulk-actions.ts';
import { BulkOutcome } from './bulk-outcome.tsx';
import { useBulkWork } from './bulk-work.ts';

const DANGERS: readonly BulkAction[] = ['lock', 'delete'];

interface BulkDialogProps {
  action: BulkAction;
  rows: readonly UserRow[];
  /** Those that are chosen from the start. */
  startRoles: readonly string[];
  onClose: () => void;
  /** Nothing is left to be done to those who were chosen. */
  onAllDone: () => void;
}

export function BulkDialog({ action, rows, startRoles, onClose, onAllDone }: BulkDialogProps) {
  const t = useTranslate();
  const api = useApi();
  const refresh = useRefreshAccess();
  const formId = useId();
  const { userName, userAcl } = useUser();
  const work = useBulkWork<Link | undefined>();
  const [roles, setRoles] = useState<string[]>([...startRoles]);
  const [terms, setTerms] = useState(OPEN_END);
  const [typed, setTyped] = useState('');
  const [isChecked, setChecked] = useState(false);

  const choice: BulkChoice = { roles, reason: terms.reason, ttlSeconds: lockSeconds(terms) };
  const asksRole = action === 'add-role' || action === 'remove-role';
  const names = rows.map(({ name }) => name);
  const change = { type: 'change-users', names, [action === 'add-role' ? 'add' : 'remove']: roles } as const;
  const mayAsk = userAcl.roles.read && userAcl.users.read;
  const whatIf = useWhatIf(change, asksRole && roles.length > 0 && mayAsk);
  const asksCount = action === 'delete';
  const isFilled = (!asksRole || roles.length > 0) && (!asksCount || typed.trim() === String(rows.length));
  const run = async (those: readonly UserRow[]) => {
    await work.start(those, (row) => doToUser(action, row, { api, t, self: userName, choice }));
    await refresh();
  };
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    setChecked(true);
    if (isFilled) void run(rows);
  };
  const undone = (work.outcomes ?? []).filter(({ state }) => state !== 'done').map(({ row }) => row);
  const close = () => {
    if (work.outcomes && undone.length === 0) onAllDone();
    onClose();
  };
  const hasLinks = work.outcomes?.some(({ result }) => result !== undefined) ?? false;
  return (
    <Dialog
      open
      onOpenChange={close}
      // A stray click must neither hide what is going on nor lose links.
      dismissable={!work.isRunning && !hasLinks}
      title={t(`users-bulk.${action}-title`, { count: rows.length })}
      footer={
        work.isRunning ? (
          <Button onClick={work.stop}>{t('users-bulk.stop')}</Button>
        ) : work.outcomes ? (
          <>
            {undone.length > 0 && <Button onClick={() => void run(undone)}>{t('users-bulk.again')}</Button>}
            <Button tone="primary" data-autofocus="" onClick={close}>
              {t('users-bulk.close')}
            </Button>
          </>
        ) : (
          <>
            <Button onClick={onClose}>{t('access.cancel')}</Button>
            <Button type="submit" form={formId} tone={DANGERS.includes(action) ? 'danger-solid' : 'primary'}>
              {t(`users-bulk.${action}`)}
            </Button>
          </>
        )
      }
    >
      {work.isRunning ? (
        <Progress
          label={t('users-bulk.working')}
          value={work.finished / work.count}
          detail={t('users-bulk.progress', { done: work.finished, count: work.count })}
        />
      ) : work.outcomes ? (
        <BulkOutcome outcomes={work.outcomes} />
      ) : (
        <form id={formId} className={styles.stack} onSubmit={submit} noValidate>
          <p>{t(`users-bulk.${action}-text`)}</p>
          {asksRole && (
            <RolePicker
              value={roles}
              onValueChange={setRoles}
              // Only what somebody has can be taken away.
              among={action === 'remove-role' ? rolesOf(rows) : undefined}
              error={isChecked && roles.length === 0 ? t('access.roles-missing') : undefined}
            />
          )}
          {asksRole && <ProviderNote rows={rows} />}
          {asksRole && roles.length > 0 && mayAsk && (
            <section className={styles.effects} aria-label={t('effects.title-many')}>
              <h3 className={styles.title}>{t('effects.title-many')}</h3>
              <EffectsPanel whatIf={whatIf} isChanged isAboutOne={rows.length === 1} />
            </section>
          )}
          {action === 'lock' && <LockTermsFields value={terms} onValueChange={setTerms} />}
          <Who rows={rows} />
          {asksCount && (
            <TextField
              label={t('users-bulk.type-count', { count: String(rows.length) })}
              autoComplete="off"
              inputMode="numeric"
              value={typed}
              onValueChange={setTyped}
              error={isChecked && !isFilled ? t('users-bulk.type-count-first') : undefined}
            />
          )}
        </form>
      )}
    </Dialog>
  );
}

function rolesOf(rows: readonly UserRow[]): string[] {
  return [...new Set(rows.flatMap((row) => row.roles))].sort();
}

function ProviderNote({ rows }: { rows: readonly UserRow[] }) {
  const t = useTranslate();
  const count = rows.filter((row) => !isLocal(row)).length;
  if (count === 0) return null;
  return <Notice announce="none">{t('users-bulk.sso-roles', { count })}</Notice>;
}

function Who({ rows }: { rows: readonly UserRow[] }) {
  const t = useTranslate();
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would be read as a form's part
    <div role="group" aria-label={t('users-bulk.who')} className={styles.who}>
      {rows.map(({ name }) => (
        <LabelChip key={name} value={name} />
      ))}
    </div>
  );
}
