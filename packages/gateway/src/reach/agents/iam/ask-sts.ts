/** Sends what a machine has signed to STS and reads who AWS says it is. The host is one of a fixed set, whatever was asked for. */
import type { IamProof } from '@gatehouse/contract/reach/join-tokens/iam';
import { type IamProofFields, stsRequest } from '@gatehouse/tunnel/aws/iam-proof';
import { z } from 'zod';
import { AppError } from '../../../platform/std/app-error.ts';
import type { BoundedFetch } from '../../direct/bounded-fetch.ts';

const MAX_ANSWER_CHARACTERS = 16 * 1024;

export interface AwsCaller {
  account: string;
  arn: string;
}

/** A line break, or letters that look like others, are no part of any ARN. */
const answer = z.object({
  GetCallerIdentityResponse: z.object({
    GetCallerIdentityResult: z.object({
      Account: z.string().regex(/^\d{12}$/),
      Arn: z
        .string()
        .max(2048)
        .regex(/^arn:aws(?:-[a-z]+)*:(?:iam|sts)::\d{12}:[\x21-\x7e]+$/),
    }),
  }),
});
const refusal = z.object({ Error: z.object({ Code: z.string().regex(/^[A-Za-z.]{1,64}$/) }) });

/** `endpoint`: where STS is reached, in the place of the host itself. Throws `denied` where AWS says no, else that it cannot be asked. */
export async function askSts(
  fetch: BoundedFetch,
  fields: IamProofFields,
  proof: IamProof,
  endpoint: string | undefined,
): Promise<AwsCaller> {
  const { headers, body } = stsRequest(fields, proof);
  const response = await fetch(new URL('/', endpoint ?? `https://${proof.host}`), { method: 'POST', headers, body });
  const text = await response.text();
  if (response.status >= 400 && response.status < 500)
    throw new AppError('denied', `AWS does not confirm who signed the request: ${refusalIn(text)}`);
  const read =
    response.status === 200 && text.length <= MAX_ANSWER_CHARACTERS ? answer.safeParse(jsonIn(text)) : undefined;
  if (!read?.success) throw new AppError('target_unreachable', `${proof.host} does not answer as STS does`);
  const { Account: account, Arn: arn } = read.data.GetCallerIdentityResponse.GetCallerIdentityResult;
  if (arn.split(':')[4] !== account)
    throw new AppError('target_unreachable', `${proof.host} names an account and an ARN that do not belong together`);
  return { account, arn };
}

/** What it says beside the code may hold what was sent; only the code is told. */
function refusalIn(text: string): string {
  const read = text.length <= MAX_ANSWER_CHARACTERS ? refusal.safeParse(jsonIn(text)) : undefined;
  return read?.success ? read.data.Error.Code : 'it refuses the request';
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
