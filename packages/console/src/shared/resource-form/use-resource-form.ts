/** The state of a form about something in a list: what is typed, what may already be called wrong, and sending it. */
import { useQueryClient } from '@tanstack/react-query';
import { type SubmitEvent, useState } from 'react';
import { useAttempt } from '../../platform/failures/use-attempt.ts';
import { RESOURCES } from '../resource-list/use-paged-rows.ts';

/** What is wrong, by the fields' names. */
export type Faults = Readonly<Record<string, string>>;

export type Checked<Wanted> = { wanted: Wanted; faults?: undefined } | { wanted?: undefined; faults: Faults };

export interface FieldsProps<Draft> {
  draft: Draft;
  onDraft: (change: Partial<Draft>) => void;
  /** What is wrong, by field; only with what somebody has left or sent. */
  faults: Faults;
  onLeave: (field: string) => void;
}

interface FormRules<Draft, Wanted> {
  check: (draft: Draft) => Checked<Wanted>;
  /** What the gateway refuses is said at these; of any other it stands below the form. */
  fields: ReadonlySet<string>;
  /** Not left by a key or a click of their own: wrong as soon as they are. */
  atOnce: ReadonlySet<string>;
  /** Before the form is sent these are not wrong while nothing was typed. */
  mayWait: ReadonlySet<keyof Draft & string>;
}

export function useResourceForm<Draft, Wanted>(
  rules: FormRules<Draft, Wanted>,
  first: Draft,
  send: (wanted: Wanted) => Promise<unknown>,
  onDone: (wanted: Wanted) => void,
) {
  const [draft, setDraft] = useState(first);
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const [isSent, setSent] = useState(false);
  const attempt = useAttempt();
  const queries = useQueryClient();
  const { failure } = attempt;
  const checked = rules.check(draft).faults ?? {};
  const isEmpty = (field: string) =>
    rules.mayWait.has(field as keyof Draft & string) && draft[field as keyof Draft] === '';
  // Neither empty nor still being typed.
  const isShown = (field: string) => isSent || rules.atOnce.has(field) || (left.has(field) && !isEmpty(field));
  const faults = Object.fromEntries(Object.entries(checked).filter(([field]) => isShown(field)));
  const refused = failure?.field !== undefined && rules.fields.has(failure.field) ? failure.field : undefined;

  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    setSent(true);
    const { wanted } = rules.check(draft);
    if (!wanted) return;
    const isTaken = await attempt.run(() => send(wanted));
    // Also where it was refused: the first of two calls may have been taken.
    await queries.invalidateQueries({ queryKey: [RESOURCES] });
    if (isTaken) onDone(wanted);
  };
  const onDraft = (change: Partial<Draft>) => {
    setDraft((before) => ({ ...before, ...change }));
    attempt.forget();
  };
  return {
    draft,
    onDraft,
    onLeave: (field: string) => setLeft((before) => (before.has(field) ? before : new Set([...before, field]))),
    faults: failure && refused !== undefined ? { ...faults, [refused]: failure.message } : faults,
    /** What the gateway refused and no field stands for. */
    failure: refused === undefined ? failure?.message : undefined,
    isBusy: attempt.isBusy,
    submit,
  };
}
