/** What the name of a role of AWS says: in which partition it is, whose it is, and how it is called. */

export const PARTITIONS = ['aws', 'aws-us-gov', 'aws-cn'] as const;
export type Partition = (typeof PARTITIONS)[number];

export interface RoleArn {
  partition: Partition;
  account: string;
  /** With its path. */
  role: string;
}

const ARN = /^arn:(aws|aws-us-gov|aws-cn):iam::(\d{12}):role\/([\w+=,.@/-]{1,512})$/;

export function parseRoleArn(text: string): RoleArn | undefined {
  const [, name, account = '', role = ''] = ARN.exec(text) ?? [];
  const partition = PARTITIONS.find((each) => each === name);
  return partition && { partition, account, role };
}
