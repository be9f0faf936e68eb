/** Desktops as a directory knows them: what all of them are labelled with, and what its administrator does before an agent is installed. */
import { DESKTOP_SCRIPTS } from '@gatehouse/contract/kinds/desktop/desktops';
import { CodeBlock } from '@gatehouse/design/code-block';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { DescribeJoining } from '../../../shared/enrolment/describe-joining.tsx';
import { useFlow } from '../../../shared/enrolment/flow-place.tsx';
import type { JoinToken } from '../../../shared/enrolment/join-token.ts';
import joining from '../../../shared/enrolment/joining.module.css';
import { keptTexts } from '../../../shared/enrolment/kept-parts.ts';

export function DescribeDirectory() {
  const t = useTranslate();
  const { kept, keep } = useFlow();
  return (
    <DescribeJoining
      lead={t('add-desktop.directory-lead')}
      labelsHint={t('add-desktop.directory-labels-hint')}
      labels={keptTexts(kept, 'labels')}
      onLabels={(labels) => keep({ labels })}
    />
  );
}

const FOLDER = '/etc/gatehouse-agent';

export function ReaderCommand({ token: { secret } }: { token: JoinToken }) {
  const t = useTranslate();
  const address = `${window.location.origin}${DESKTOP_SCRIPTS.configure.replace(':token', secret)}`;
  const command = `(Invoke-WebRequest -UseBasicParsing -Uri '${address}').Content | Invoke-Expression`;
  return (
    <div className={joining.stack}>
      <h3>{t('add-desktop.reader')}</h3>
      <p className={joining.lead}>{t('add-desktop.reader-text')}</p>
      <CodeBlock wrap label={t('add-desktop.reader-command')} code={command} />
      <h3>{t('add-desktop.agent')}</h3>
      <p className={joining.lead}>
        {t('add-desktop.agent-text', { password: `${FOLDER}/reader.txt`, file: `${FOLDER}/agent.yaml` })}
      </p>
    </div>
  );
}
