/** The region that stands in the address of a database of AWS, `NAME.ID.REGION.rds.amazonaws.com`, or of RDS in China, `NAME.ID.rds.REGION.amazonaws.com.cn`; empty where none does. */
export function awsRegionOf(host: string): string {
  const [, before, behind] =
    /\.(?:([a-z]{2}(?:-[a-z]+)+-\d+)\.(?:rds|redshift)\.amazonaws\.com(?:\.cn)?|rds\.(cn-[a-z]+-\d+)\.amazonaws\.com\.cn)$/.exec(
      host,
    ) ?? [];
  return before ?? behind ?? '';
}
