/** Whether a rule of a token lets in who AWS says the machine is. */
import type { AllowRule } from '@gatehouse/contract/reach/join-tokens/token-facts';
import type { AwsCaller } from './ask-sts.ts';

export function isAllowed(rules: readonly AllowRule[], { account, arn }: AwsCaller): boolean {
  return rules.some(
    ({ aws_account, aws_arn }) => aws_account === account && (aws_arn === undefined || matchesArn(aws_arn, arn)),
  );
}

/** The whole of it, letter by letter; `*` stands for any letters, also none, `?` for one. Goes back to the last star only: never slower than both lengths multiplied. */
export function matchesArn(pattern: string, arn: string): boolean {
  let at = 0;
  let star = -1;
  let resume = 0;
  for (let read = 0; read < arn.length; ) {
    const wanted = pattern[at];
    if (wanted === '*') {
      star = at;
      resume = read;
      at += 1;
    } else if (wanted !== undefined && (wanted === '?' || wanted === arn[read])) {
      at += 1;
      read += 1;
    } else if (star >= 0) {
      at = star + 1;
      resume += 1;
      read = resume;
    } else return false;
  }
  while (pattern[at] === '*') at += 1;
  return at === pattern.length;
}
