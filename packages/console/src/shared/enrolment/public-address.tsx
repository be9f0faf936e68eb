/** Says that other machines cannot reach this gateway yet, and how to give it an address and a certificate. */
import { CodeBlock } from '@gatehouse/design/code-block';
import { Notice } from '@gatehouse/design/notice';
import { asSentence } from '../../platform/i18n/formats.ts';
import { useTranslate } from '../../platform/i18n/words.ts';
import styles from './joining.module.css';

const SETTINGS = `GATEHOUSE_LISTEN=0.0.0.0:443
GATEHOUSE_PUBLIC_ADDR=gate.example.com
GATEHOUSE_TLS_CERT=/etc/gatehouse/tls.crt
GATEHOUSE_TLS_KEY=/etc/gatehouse/tls.key`;

export function PublicAddress({ warning }: { warning: string | undefined }) {
  const t = useTranslate();
  return (
    <Notice tone="warn" announce="none" title={t('joining.local')}>
      {warning ? asSentence(warning) : t('joining.local-text')}
      <details className={styles.manual}>
        <summary>{t('joining.local-how')}</summary>
        <div className={styles.stack}>
          <p>{t('joining.local-steps')}</p>
          <CodeBlock label={t('joining.local-settings')} code={SETTINGS} />
          <p>{t('joining.local-certificate')}</p>
        </div>
      </details>
    </Notice>
  );
}
