/** The names one may use on it now; and where there is none, how to have one: by oneself where that is allowed, otherwise by whom to ask. */
import type { Explanation } from '@gatehouse/contract/access/explain/explain';
import type { Principal } from '@gatehouse/contract/kinds/kind';
import { factsOf, type Kind } from '@gatehouse/contract/kinds/kinds';
import { Button } from '@gatehouse/design/button';
import { CopyField } from '@gatehouse/design/copy-field';
import { Notice } from '@gatehouse/design/notice';
import { Spinner } from '@gatehouse/design/spinner';
import { Fragment, type ReactNode, Suspense, useState } from 'react';
import { failureWords } from '../../platform/failures/failure-words.ts';
import { lazyPart } from '../../platform/i18n/lazy-part.ts';
import { useTranslate } from '../../platform/i18n/words.ts';
import { useOwnUser } from '../../platform/sign-in/user.ts';
import { AccessAnswer } from '../../shared/access-questions/access-answer.tsx';
import type { FlowCode } from '../../shared/enrolment/flow.ts';
import { useFlow } from '../../shared/enrolment/flow-place.tsx';
import { StepBody, StepFoot } from '../../shared/enrolment/step-parts.tsx';
import { AddName } from './add-name.tsx';
import styles from './flow-screen.module.css';
import { useOwnNames } from './use-own-names.ts';

/** What a change would do is worded by the screens of roles. */
const RolesThatReach = lazyPart(
  () => import('./roles-that-reach.tsx').then((file) => file.RolesThatReach),
  ['roles', 'effects'],
);

export function PrincipalsStep({ code }: { code: FlowCode }) {
  const t = useTranslate();
  const { kind, thing, kept, next } = useFlow();
  const asked = useOwnNames();
  const { data: answer, error } = asked;
  const typed = code.typedNames?.(kept) ?? {};
  const untold = answer
    ? notAmong(answer, kind, typed).filter((each) => answer.allowed || !takesTrait(answer, each))
    : [];
  // Whoever may be somebody else there already is still asked about whom they typed.
  const typedAnswer = useOwnNames(asNames(kind, typed), untold.length > 0).data;
  if (!thing) return null;
  return (
    <>
      <StepBody
        title={t('discover.principals-title', { names: t(code.principals), name: thing.name })}
        lead={t('discover.principals-lead')}
      >
        {asked.isPending && <Spinner />}
        {error && <Notice tone="bad">{failureWords(t, error)}</Notice>}
        {answer && <Names answer={answer} typed={typed} asked={untold} />}
        {untold.length > 0 && typedAnswer?.allowed === false && (
          <NotYet answer={typedAnswer} typed={typed} lacking={untold} />
        )}
      </StepBody>
      <StepFoot>
        <Button tone="primary" onClick={() => next()}>
          {t(answer && !answer.allowed ? 'discover.next-anyway' : 'discover.next')}
        </Button>
      </StepFoot>
    </>
  );
}

type TypedNames = Readonly<Record<string, string>>;

const principalsOf = (kind: Kind): readonly Principal[] => factsOf(kind).principals;

/** Those of the kind's names that were typed, and that are not among those one may use. */
function notAmong({ names }: Explanation, kind: Kind, typed: TypedNames): Principal[] {
  return principalsOf(kind).filter(({ field }) => {
    const wanted = typed[field] ?? '';
    const usable = names.find((each) => each.field === field)?.names ?? [];
    return wanted !== '' && !usable.includes(wanted) && !usable.includes('*');
  });
}

/** As questions about access call them. */
function asNames(kind: Kind, typed: TypedNames): object {
  const named = principalsOf(kind).filter(({ field }) => (typed[field] ?? '') !== '');
  return Object.fromEntries(
    named.map(({ name, asked, many, field }) => [asked ?? name, many ? [typed[field]] : typed[field]]),
  );
}

interface NotYetProps {
  answer: Explanation;
  typed: TypedNames;
  lacking: readonly Principal[];
}

/** Somebody typed a name into the form that their roles do not give them, though they give others. */
function NotYet({ answer, typed, lacking }: NotYetProps) {
  const t = useTranslate();
  const { userAcl, authType } = useOwnUser();
  const isLocal = authType === 'local';
  const mayGive = isLocal && userAcl.users.read && userAcl.users.edit;
  return (
    <section className={styles.names}>
      <h3>{t('discover.not-yet', { names: lacking.map(({ field }) => typed[field]).join(', ') })}</h3>
      <AccessAnswer answer={answer} />
      {mayGive ? (
        lacking
          .filter((principal) => principal.userTrait !== undefined && takesTrait(answer, principal))
          .map((principal) => (
            <AddName key={principal.field} principal={principal} first={typed[principal.field] ?? ''} />
          ))
      ) : (
        <WhomToAsk answer={answer} isLocal={isLocal} />
      )}
    </section>
  );
}

interface NamesProps {
  answer: Explanation;
  /** By field: the first proposal where one is to be added. */
  typed: TypedNames;
  /** Those that are asked for by themselves. */
  asked: readonly Principal[];
}

function Names({ answer, typed, asked }: NamesProps) {
  const t = useTranslate();
  const { kind } = useFlow();
  const { userAcl, authType } = useOwnUser();
  const principals = principalsOf(kind);
  const isLocal = authType === 'local';
  const mayGive = isLocal && userAcl.users.read && userAcl.users.edit;
  const addable = principals.filter(
    (each) => each.userTrait !== undefined && takesTrait(answer, each) && !(answer.allowed && asked.includes(each)),
  );
  return (
    <>
      {principals.map(({ field }) => {
        const names = answer.names.find((each) => each.field === field)?.names ?? [];
        if (names.length === 0) return null;
        return (
          <section key={field} className={styles.names}>
            <h3>{t(`discover.names-${field as 'logins'}`)}</h3>
            <ul>
              {names.map((name) => (
                <li key={name}>{name === '*' ? t('discover.any-name') : <code>{name}</code>}</li>
              ))}
            </ul>
          </section>
        );
      })}
      {principals.length === 0 && <p>{t('discover.no-names-needed')}</p>}
      {!answer.allowed && (
        <section className={styles.names}>
          <h3>{t('discover.missing')}</h3>
          <AccessAnswer answer={answer} />
        </section>
      )}
      {mayGive &&
        addable.map((principal) => {
          const field = <AddName principal={principal} first={typed[principal.field] ?? ''} />;
          return (
            <Fragment key={principal.field}>
              {answer.allowed ? (
                // Whoever may be somebody there may have to be somebody else: nothing has to be typed.
                <Another word={t(`discover.another-${principal.userTrait as 'logins'}`)}>{field}</Another>
              ) : (
                field
              )}
            </Fragment>
          );
        })}
      <Suspense>
        <RolesThatReach would={answer.allowed || !mayGive ? [] : answer.rolesThatWould} />
      </Suspense>
      {!answer.allowed && !mayGive && <WhomToAsk answer={answer} isLocal={isLocal} />}
    </>
  );
}

/** A field in the place of the button that asked for it, and with its focus. */
function Another({ word, children }: { word: string; children: ReactNode }) {
  const [isWanted, setIsWanted] = useState(false);
  if (!isWanted)
    return (
      <Button className={styles.another} onClick={() => setIsWanted(true)}>
        {word}
      </Button>
    );
  return <div ref={focusField}>{children}</div>;
}

function focusField(place: HTMLDivElement | null): void {
  place?.querySelector('input')?.focus();
}

/** Whether a role takes such names from the user: what is written there then counts. */
function takesTrait(
  { missing = [], fromTraits = [], reasons, change }: Explanation,
  { field, trait, userTrait }: Principal,
): boolean {
  const called = new Set([trait ?? field, userTrait]);
  return (
    missing.some((each) => each.field === field && each.trait !== undefined) ||
    fromTraits.some((each) => each.field === field && called.has(each.trait as never)) ||
    change.some(
      (each) => (each.type === 'fill-trait' || each.type === 'add-trait') && called.has(each.trait as never),
    ) ||
    reasons.some(({ traits = [] }) => traits.some((each) => called.has(each.trait as never)))
  );
}

function WhomToAsk({ answer, isLocal }: { answer: Explanation; isLocal: boolean }) {
  const t = useTranslate();
  const { thing } = useFlow();
  const { userName } = useOwnUser();
  const steps = answer.change.map(({ sentence }) => sentence).join('; ');
  return (
    <Notice tone="info" announce="none" title={t(isLocal ? 'discover.ask-whom' : 'discover.ask-provider')}>
      <CopyField
        label={t('discover.ask-text')}
        value={t('discover.ask-words', { user: userName, name: thing?.name ?? '', steps })}
      />
    </Notice>
  );
}
