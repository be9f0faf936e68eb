/** The state of a form about a database: what is typed, what may already be called wrong, and sending it. */
import { useQueryClient } from '@tanstack/react-query';
import { type SubmitEvent, useState } from 'react';
import { useAttempt } from '../../../platform/failures/use-attempt.ts';
import { RESOURCES } from '../../../shared/resource-list/use-paged-rows.ts';
import { type Checked, checkDraft, type DbDraft, type Faults } from './db-draft.ts';

export interface DbFieldsProps {
  draft: DbDraft;
  onDraft: (change: Partial<DbDraft>) => void;
  /** What is wrong, by field; only with what somebody has left or sent. */
  faults: Faults;
  onLeave: (field: string) => void;
}

type Wanted = NonNullable<Checked['wanted']>;

export function useDbForm(first: DbDraft, send: (wanted: Wanted) => Promise<unknown>, onDone: (name: string) => void) {
  const [draft, setDraft] = useState(first);
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const [isSent, setSent] = useState(false);
  const attempt = useAttempt();
  const queries = useQueryClient();
  const checked = checkDraft(draft);
  const { failure } = attempt;

  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    setSent(true);
    const { wanted } = checkDraft(draft);
    if (!wanted) return;
    const isTaken = await attempt.run(() => send(wanted));
    await queries.invalidateQueries({ queryKey: [RESOURCES] });
    if (isTaken) onDone(wanted.database.name);
  };
  const onDraft = (change: Partial<DbDraft>) => {
    setDraft((before) => ({ ...before, ...change }));
    attempt.forget();
  };
  return {
    draft,
    onDraft,
    onLeave: (field: string) => setLeft((before) => (before.has(field) ? before : new Set([...before, field]))),
    faults: withRefusal(shownFaults(checked.faults ?? {}, draft, isSent ? undefined : left), failure),
    /** What the gateway refused and no field stands for. */
    failure: failure && !FIELDS.has(failure.field ?? '') ? failure.message : undefined,
    isBusy: attempt.isBusy,
    submit,
  };
}

const FIELDS: ReadonlySet<string> = new Set(['name', 'uri', 'tls.ca', 'tls.serverName', 'database']);
/** Not left by a key or a click of their own. */
const AT_ONCE: ReadonlySet<string> = new Set(['labels', 'tls.mode', 'signIn']);

/** Before it is sent, an empty field is not wrong yet, and neither is one that is still being typed. */
function shownFaults(faults: Faults, draft: DbDraft, left: ReadonlySet<string> | undefined): Faults {
  if (!left) return faults;
  const isEmpty = (field: string) =>
    (field === 'name' || field === 'uri' || field === 'dbUser' || field === 'password') && draft[field] === '';
  return Object.fromEntries(
    Object.entries(faults).filter(([field]) => (left.has(field) && !isEmpty(field)) || AT_ONCE.has(field)),
  );
}

function withRefusal(faults: Faults, failure: { message: string; field: string | undefined } | undefined): Faults {
  if (!failure?.field || !FIELDS.has(failure.field)) return faults;
  return { ...faults, [failure.field]: failure.message };
}
