/** The answer to "can they, and why": the verdict, the clauses that decide, and the smallest change that turns it round. */
import type { Explanation } from '@gatehouse/contract/explain/explain';
import { Icon } from '@gatehouse/design/icon';
import Check from 'lucide-react/icons/check';
import CircleCheck from 'lucide-react/icons/circle-check';
import CircleX from 'lucide-react/icons/circle-x';
import Lock from 'lucide-react/icons/lock';
import Wrench from 'lucide-react/icons/wrench';
import X from 'lucide-react/icons/x';
import { useWords } from '../words/words.ts';
import styles from './access.module.css';
import { changeWords, lockWords, nameList, reasonWords } from './answer-words.ts';

export function AccessAnswer({ answer }: { answer: Explanation }) {
  const t = useWords();
  const { allowed, reasons, change, lock, rolesThatWould, names } = answer;
  const usable = nameList(t, names);
  return (
    <div className={styles.answer} role="status">
      <p className={allowed ? styles.allowed : styles.denied}>
        <Icon of={allowed ? CircleCheck : CircleX} />
        <b>{t(allowed ? 'access.allowed' : 'access.denied')}</b>
        <span className={styles.faint}>
          {t('access.held-roles', { count: answer.roles.length, roles: answer.roles.join(', ') })}
        </span>
      </p>
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
        {!allowed && !lock && reasons.length === 0 && (
          <li className={styles.no}>
            <Icon of={X} size={14} />
            <span>{t('access.no-role')}</span>
          </li>
        )}
      </ul>
      {change.length > 0 && (
        <>
          <h4 className={styles.subtitle}>{t(allowed ? 'access.to-forbid' : 'access.to-allow')}</h4>
          <ul className={styles.reasons}>
            {change.map((step) => (
              <li key={step.sentence}>
                <Icon of={Wrench} size={14} />
                <span>{changeWords(t, step)}</span>
              </li>
            ))}
          </ul>
        </>
      )}
      {!allowed && rolesThatWould.length > 0 && (
        <p className={styles.lead}>
          {t('access.roles-that-would', { count: rolesThatWould.length, roles: rolesThatWould.join(', ') })}
        </p>
      )}
      {usable !== '' && <p className={styles.lead}>{t('access.usable-names', { names: usable })}</p>}
    </div>
  );
}
