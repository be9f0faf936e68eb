/** The region that stands in the address of a database of AWS: `NAME.ID.REGION.rds.amazonaws.com`; empty where none does. */
export function awsRegionOf(host: string): string {
  return /\.([a-z]{2}(?:-[a-z]+)+-\d+)\.(?:rds|redshift)\.amazonaws\.com(?:\.cn)?$/.exec(host)?.[1] ?? '';
}
