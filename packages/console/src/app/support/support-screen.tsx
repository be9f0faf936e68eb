/** Help & Support: what this gateway is, what to type, what to do when something goes wrong. */
import { Button } from '@gatehouse/design/button';
import { Card } from '@gatehouse/design/card';
import { CopyField } from '@gatehouse/design/copy-field';
import { PageHeader } from '@gatehouse/design/page-header';
import { TextLink } from '@gatehouse/design/text-link';
import Keyboard from 'lucide-react/icons/keyboard';
import { pingQuery } from '../../platform/api/ping-query.ts';
import type { Asking } from '../../platform/api/query-client.ts';
import { useShellActions } from '../../platform/browser/shell-actions.tsx';
import { useTranslate } from '../../platform/i18n/words.ts';
import { GatewayFacts } from './gateway-facts.tsx';
import styles from './support-screen.module.css';

const COMMANDS = [
  { command: './gatehouse --help', word: 'support.command-help' },
  { command: './gatehouse config check', word: 'support.command-config' },
  { command: './gatehouse start', word: 'support.command-start' },
] as const;

export function prefetchSupport({ queries, api }: Asking): Promise<void> {
  return queries.prefetchQuery(pingQuery(api));
}

export function SupportScreen() {
  const t = useTranslate();
  const { showKeys } = useShellActions();
  return (
    <>
      <PageHeader title={t('pages.support')} />
      <p className={styles.lead}>{t('support.lead')}</p>
      <div className={styles.columns}>
        <div className={styles.column}>
          <GatewayFacts />
          <Card title={t('support.wrong')}>
            <ul className={styles.list}>
              <li>{t('support.wrong-id')}</li>
              <li>{t('support.wrong-offline')}</li>
              <li>{t('support.wrong-denied')}</li>
            </ul>
          </Card>
        </div>
        <div className={styles.column}>
          <Card title={t('support.commands')}>
            <p className={styles.text}>{t('support.commands-lead')}</p>
            {COMMANDS.map(({ command, word }) => (
              <CopyField key={command} label={t(word)} value={command} />
            ))}
          </Card>
          <Card
            title={t('support.keyboard')}
            actions={
              <Button size="small" icon={Keyboard} onClick={showKeys}>
                {t('support.show-keys')}
              </Button>
            }
          >
            <p className={styles.text}>{t('support.keyboard-lead')}</p>
          </Card>
          <Card title={t('support.reference')}>
            <p className={styles.text}>{t('support.reference-lead')}</p>
            <p>
              <TextLink href="/v1/openapi.json" target="_blank">
                {t('support.reference-link')}
              </TextLink>
            </p>
          </Card>
        </div>
      </div>
    </>
  );
}
