/** The labels that the new servers will carry, and how many they are. */
import { Button } from '@gatehouse/design/button';
import { Notice } from '@gatehouse/design/notice';
import { TextField } from '@gatehouse/design/text-field';
import { type SubmitEvent, useId, useState } from 'react';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { useFlow } from '../../../shared/enrolment/flow-place.tsx';
import { keptCount, keptText, keptTexts } from '../../../shared/enrolment/kept-parts.ts';
import { LabelField } from '../../../shared/enrolment/label-field.tsx';
import { wrongPair } from '../../../shared/enrolment/label-pair.ts';
import { StepBody, StepFoot } from '../../../shared/enrolment/step-parts.tsx';

export function DescribeServer() {
  const t = useTranslate();
  const formId = useId();
  const { kept, keep, next, isBusy, failure } = useFlow();
  const [isSent, setSent] = useState(false);
  const pairs = keptTexts(kept, 'labels');
  const wrong = wrongPair(pairs);
  const isSeveral = kept.several === true;
  const lacksCount = isSeveral && keptCount(kept) === undefined;
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    setSent(true);
    if (wrong === undefined && !lacksCount) next();
  };
  return (
    <>
      <StepBody title={t('discover.describe-title')} lead={t('discover.describe-server-lead')}>
        <form id={formId} onSubmit={submit} noValidate>
          {isSeveral && (
            <TextField
              label={t('discover.count-label')}
              hint={t('discover.count-hint')}
              inputMode="numeric"
              autoComplete="off"
              value={keptText(kept, 'count')}
              error={isSent && lacksCount ? t('discover.count-wrong') : undefined}
              onValueChange={(count) => keep({ count })}
            />
          )}
          <LabelField
            hint={t('add-server.labels-hint')}
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
