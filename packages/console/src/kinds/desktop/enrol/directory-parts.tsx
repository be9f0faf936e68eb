/** Desktops as a directory knows them: what all of them are labelled with, and what its administrator does before an agent is installed. */
import { DESKTOP_SCRIPTS } from '@gatehouse/contract/kinds/desktop/desktops';
import { Button } from '@gatehouse/design/button';
import { CodeBlock } from '@gatehouse/design/code-block';
import { Notice } from '@gatehouse/design/notice';
import { type SubmitEvent, useId } from 'react';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { useFlow } from '../../../shared/enrolment/flow-place.tsx';
import type { JoinToken } from '../../../shared/enrolment/join-token.ts';
import joining from '../../../shared/enrolment/joining.module.css';
import { keptTexts } from '../../../shared/enrolment/kept-parts.ts';
import { LabelField } from '../../../shared/enrolment/label-field.tsx';
import { wrongPair } from '../../../shared/enrolment/label-pair.ts';
import { StepBody, StepFoot } from '../../../shared/enrolment/step-parts.tsx';

export function DescribeDirectory() {
  const t = useTranslate();
  const formId = useId();
  const { kept, keep, next, isBusy, failure } = useFlow();
  const pairs = keptTexts(kept, 'labels');
  const wrong = wrongPair(pairs);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    if (wrong === undefined) next();
  };
  return (
    <>
      <StepBody title={t('discover.describe-title')} lead={t('add-desktop.directory-lead')}>
        <form id={formId} onSubmit={submit} noValidate>
          <LabelField
            hint={t('add-desktop.directory-labels-hint')}
            pairs={pairs}
            wrong={wrong}
            onPairs={(labels) => keep({ labels })}
          />
        </form>
        {failure && <Notice tone="bad">{failure}</Notice>}
      </StepBody>
      <StepFoot>
        <Button type="submit" form={formId} tone="primary" loading={isBusy}>
          {t('joining.make')}
        </Button>
      </StepFoot>
    </>
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
