/** What was said of each statement: done, failed, noticed. */
import { Icon } from '@gatehouse/design/icon';
import CircleCheck from 'lucide-react/icons/circle-check';
import CircleX from 'lucide-react/icons/circle-x';
import Info from 'lucide-react/icons/info';
import { asSentence } from '../../../../platform/i18n/formats.ts';
import { useTranslate } from '../../../../platform/i18n/words.ts';
import { type Failure, isLost, type Message } from '../bench/work.ts';
import { failureTitle } from '../session/failure-title.ts';
import { formatMs } from '../session/status-line.tsx';
import styles from './results.module.css';

export function Messages({ messages }: { messages: readonly Message[] }) {
  const t = useTranslate();
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: many messages must be scrollable by keyboard
    <section className={styles.messages} tabIndex={0} aria-label={t('workbench.messages')}>
      {messages.length === 0 && <p className={styles.faint}>{t('workbench.messages-none')}</p>}
      <ul>
        {messages.map((message, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: they are only added to
          <li key={index} className={styles.message} data-is={message.is}>
            {message.is === 'done' && (
              <>
                <Icon of={CircleCheck} size={14} />
                <code>{message.done.tag}</code>
                <span className={styles.faint}>
                  {t('workbench.ms', {
                    server: formatMs(message.done.ms.server),
                    gateway: formatMs(message.done.ms.gateway),
                  })}
                </span>
              </>
            )}
            {message.is === 'notice' && (
              <>
                <Icon of={Info} size={14} />
                <code>{message.severity}</code>
                <code>{message.text}</code>
              </>
            )}
            {message.is === 'failed' && <FailureWords failure={message.failure} />}
          </li>
        ))}
      </ul>
    </section>
  );
}

export function FailureWords({ failure }: { failure: Failure }) {
  const t = useTranslate();
  const { code, message, detail, hint } = failure;
  return (
    <>
      <Icon of={CircleX} size={14} />
      <div className={styles.failure}>
        <b>{failureTitle(t, failure)}</b>
        {detail && <span>{asSentence(detail)}</span>}
        {hint && <span>{asSentence(hint)}</span>}
        {code === 'read_only' && <span>{t('workbench.read-only-hint')}</span>}
        {!isLost(failure) && message !== '' && <code className={styles.faint}>{code}</code>}
      </div>
    </>
  );
}
