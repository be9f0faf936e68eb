/** What it is: the kind's own form, the same by which one is changed. */
import type { FlowCode } from '../../shared/enrolment/flow.ts';

export function DescribeStep({ code: { Describe } }: { code: FlowCode }) {
  return <Describe />;
}
