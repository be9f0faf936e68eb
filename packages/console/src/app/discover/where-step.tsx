/** How it will be reached: by a new agent, one that is there, or the gateway itself. */
import { Button } from '@gatehouse/design/button';
import { Notice } from '@gatehouse/design/notice';
import { RadioGroup } from '@gatehouse/design/radio-group';
import { useState } from 'react';
import { useTranslate } from '../../platform/i18n/words.ts';
import { useFlow } from '../../shared/enrolment/flow-place.tsx';
import { StepBody, StepFoot } from '../../shared/enrolment/step-parts.tsx';

export function WhereStep() {
  const t = useTranslate();
  const { ways, way, kept, keep, next, isBusy, failure } = useFlow();
  const [isSent, setSent] = useState(false);
  const lacks = way.lacks?.(kept);
  const submit = () => {
    setSent(true);
    if (lacks === undefined) next();
  };
  const { More } = way;
  return (
    <>
      <StepBody title={t('discover.where-title')} lead={t('discover.where-lead')}>
        <RadioGroup
          label={t('discover.where-label')}
          value={way.value}
          onValueChange={(value) => keep({ way: value })}
          options={ways.map(({ value, label, hint }) => ({ value, label: t(label), hint: t(hint) }))}
        />
        {More && <More />}
        {isSent && lacks !== undefined && <Notice tone="warn">{t(lacks)}</Notice>}
        {failure && <Notice tone="bad">{failure}</Notice>}
      </StepBody>
      <StepFoot>
        <Button tone="primary" loading={isBusy} onClick={submit}>
          {t('discover.next')}
        </Button>
      </StepFoot>
    </>
  );
}
