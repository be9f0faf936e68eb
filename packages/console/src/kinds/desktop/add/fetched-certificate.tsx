/** Asks the gateway for the certificate that a machine shows now, and lets it be named after somebody has compared it. */
import type { ShownCertificate } from '@gatehouse/contract/kinds/desktop/desktops';
import { Button } from '@gatehouse/design/button';
import { DetailsList } from '@gatehouse/design/details-list';
import { Notice } from '@gatehouse/design/notice';
import ShieldQuestion from 'lucide-react/icons/shield-question-mark';
import { useState } from 'react';
import { useAttempt } from '../../../platform/failures/use-attempt.ts';
import { asSentence } from '../../../platform/i18n/formats.ts';
import { useTranslate } from '../../../platform/i18n/words.ts';
import styles from '../desktops.module.css';

interface FetchedCertificateProps {
  /** Nothing while it is not known where to ask. */
  fetch: (() => Promise<ShownCertificate>) | undefined;
  /** Somebody has compared it. */
  onTaken: (pin: string) => void;
}

export function FetchedCertificate({ fetch, onTaken }: FetchedCertificateProps) {
  const t = useTranslate();
  const attempt = useAttempt();
  const [shown, setShown] = useState<ShownCertificate>();
  const ask = async () => {
    if (!fetch) return;
    setShown(undefined);
    await attempt.run(async () => setShown(await fetch()));
  };
  return (
    <div className={styles.stack}>
      <div>
        <Button icon={ShieldQuestion} loading={attempt.isBusy} disabled={!fetch} onClick={() => void ask()}>
          {t('add-desktop.fetch')}
        </Button>
      </div>
      {attempt.failure && <Notice tone="bad">{asSentence(attempt.failure.message)}</Notice>}
      {shown && (
        <section className={styles.stack} aria-label={t('add-desktop.fetched')}>
          <DetailsList
            details={[
              { name: t('add-desktop.pin'), value: <code className={styles.pin}>{shown.pin}</code> },
              { name: t('add-desktop.fetched-subject'), value: shown.subject },
              { name: t('add-desktop.fetched-issuer'), value: shown.issuer },
              { name: t('add-desktop.fetched-until'), value: shown.until.slice(0, 10) },
            ]}
          />
          <p className={styles.lead}>{t('add-desktop.fetched-compare')}</p>
          <div>
            <Button onClick={() => onTaken(shown.pin)}>{t('add-desktop.fetched-take')}</Button>
          </div>
        </section>
      )}
    </div>
  );
}
