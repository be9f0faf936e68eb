/** The answer to "can they, and why": the verdict, the clauses that decide, and the smallest change that turns it round. */
import type { Change, Explanation, MissingName, Reason } from '@gatehouse/contract/access/explain/explain';
import { Icon } from '@gatehouse/design/icon';
import Check from 'lucide-react/icons/check';
import CircleCheck from 'lucide-react/icons/circle-check';
import CircleX from 'lucide-react/icons/circle-x';
import Lock from 'lucide-react/icons/lock';
import Wrench from 'lucide-react/icons/wrench';
import X from 'lucide-react/icons/x';
import { useTranslate } from '../../platform/i18n/words.ts';
import { useUser } from '../../platform/sign-in/user.ts';
import styles from './access.module.css';
import {
  changeWords,
  isSignInName,
  lockWords,
  missingWords,
  nameList,
  reasonWords,
  type Whose,
} from './answer-words.ts';

export function AccessAnswer({ answer }: { answer: Explanation }) {
  const t = useTranslate();
  const { allowed, reasons, missing = [], change, lock, rolesThatWould, names } = answer;
  const { userName } = useUser();
  const whose = { isOwn: answer.user === userName, user: answer.user };
  const usable = nameList(t, names);
  return (
    <div className={styles.answer} role="status">
      <p className={allowed ? styles.allowed : styles.denied}>
        <Icon of={allowed ? CircleCheck : CircleX} />
        <b>{t(allowed ? 'access.allowed' : whyNot(missing))}</b>
        <span className={styles.faint}>
          {t('access.held-roles', { count: answer.roles.length, roles: answer.roles.join(', ') })}
        </span>
      </p>
      {missing.length > 0 ? (
        <MissingList missing={missing} whose={whose} />
      ) : (
        <ReasonList reasons={reasons} lock={lock} isNoRole={!allowed && !lock && reasons.length === 0} />
      )}
      <StepList title={t(allowed ? 'access.to-forbid' : 'access.to-allow')} steps={change} whose={whose} />
      {!allowed && rolesThatWould.length > 0 && (
        <p className={styles.lead}>
          {t('access.roles-that-would', { count: rolesThatWould.length, roles: rolesThatWould.join(', ') })}
        </p>
      )}
      {usable !== '' && <p className={styles.lead}>{t('access.usable-names', { names: usable })}</p>}
    </div>
  );
}

/** Who may sign in as somebody and open no database there lacks no name to sign in with. */
function whyNot(missing: readonly MissingName[]) {
  if (missing.length === 0) return 'access.denied';
  return missing.some(({ field }) => isSignInName(field)) ? 'access.no-name' : 'access.name-missing';
}

function MissingList({ missing, whose }: { missing: readonly MissingName[]; whose: Whose }) {
  const t = useTranslate();
  return (
    <ul className={styles.reasons}>
      {missing.map((each) => (
        <li key={each.sentence} className={styles.no}>
          <Icon of={X} size={14} />
          <span>{missingWords(t, each, whose)}</span>
        </li>
      ))}
    </ul>
  );
}

interface ReasonListProps {
  reasons: readonly Reason[];
  lock?: Explanation['lock'];
  /** Nothing denies it; nothing allows it either. */
  isNoRole: boolean;
}

export function ReasonList({ reasons, lock, isNoRole }: ReasonListProps) {
  const t = useTranslate();
  return (
    <ul className={styles.reasons}>
      {lock && (
        <li className={styles.no}>
          <Icon of={Lock} size={14} />
          <span>{lockWords(t, lock)}</span>
        </li>
      )}
      {reasons.map((reason) => (
        <li key={`${reason.role} ${reason.path}`} className={reason.side === 'allow' ? styles.yes : styles.no}>
          <Icon of={reason.side === 'allow' ? Check : X} size={14} />
          <span>{reasonWords(t, reason)}</span>
        </li>
      ))}
      {isNoRole && (
        <li className={styles.no}>
          <Icon of={X} size={14} />
          <span>{t('access.no-role')}</span>
        </li>
      )}
    </ul>
  );
}

/** All of the steps together turn the answer round. */
export function StepList({ title, steps, whose }: { title: string; steps: readonly Change[]; whose?: Whose }) {
  const t = useTranslate();
  if (steps.length === 0) return null;
  return (
    <>
      <h4 className={styles.subtitle}>{title}</h4>
      <ul className={styles.reasons}>
        {steps.map((step) => (
          <li key={step.sentence}>
            <Icon of={Wrench} size={14} />
            <span>{changeWords(t, step, whose)}</span>
          </li>
        ))}
      </ul>
    </>
  );
}
