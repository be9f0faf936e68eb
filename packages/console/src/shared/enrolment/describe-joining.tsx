/** What is said of things before the command that joins them is made: fields of their kind, their labels, and the button that makes it. */
import { Button } from '@gatehouse/design/button';
import { Notice } from '@gatehouse/design/notice';
import { type ReactNode, type SubmitEvent, useId, useState } from 'react';
import { useTranslate } from '../../platform/i18n/words.ts';
import { useFlow } from './flow-place.tsx';
import { LabelField } from './label-field.tsx';
import { wrongPair } from './label-pair.ts';
import { StepBody, StepFoot } from './step-parts.tsx';

interface DescribeJoiningProps {
  lead: string;
  labelsHint: string;
  labels: readonly string[];
  onLabels: (labels: string[]) => void;
  /** Something above the labels keeps the command from being made, and its field says what. */
  isLacking?: boolean;
  /** The fields above the labels: nothing is complained of before the button was tried. */
  children?: (isSent: boolean) => ReactNode;
}

export function DescribeJoining({
  lead,
  labelsHint,
  labels,
  onLabels,
  isLacking = false,
  children,
}: DescribeJoiningProps) {
  const t = useTranslate();
  const formId = useId();
  const { next, isBusy, failure } = useFlow();
  const [isSent, setSent] = useState(false);
  const wrong = wrongPair(labels);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    setSent(true);
    if (!isLacking && wrong === undefined) next();
  };
  return (
    <>
      <StepBody title={t('discover.describe-title')} lead={lead}>
        <form id={formId} onSubmit={submit} noValidate>
          {children?.(isSent)}
          <LabelField hint={labelsHint} pairs={labels} wrong={wrong} onPairs={onLabels} />
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
