/** Events of commands run through AWS Systems Manager to enrol what was discovered. */
import { z } from 'zod';
import { defineEvent } from '../events/define-event.ts';
import { line } from '../events/line.ts';

const fields = {
  command_id: z.string(),
  instance_id: z.string(),
  exit_code: z.number(),
  status: z.string(),
  account_id: z.string(),
  region: z.string(),
} as const;

export const ssmRun = defineEvent({
  code: 'TDS00I',
  event: 'ssm.run',
  label: 'SSM Command Executed',
  fields,
  tell: ({ command_id, instance_id, account_id, region }) =>
    line`the command ${command_id} ran on the instance ${instance_id} of the account ${account_id} in ${region}`,
});

export const ssmRunFailed = defineEvent({
  code: 'TDS00W',
  event: 'ssm.run',
  label: 'SSM Command Execution Failed',
  fields,
  tell: ({ command_id, instance_id, account_id, region, exit_code }) =>
    line`the command ${command_id} failed on the instance ${instance_id} of the account ${account_id} in ${region}, with exit code ${exit_code}`,
});
