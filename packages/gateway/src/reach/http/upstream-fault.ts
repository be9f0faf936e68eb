/** What a target did wrong on the wire, or why its connection is gone. */
export class UpstreamFault extends Error {
  override name = 'UpstreamFault';
}
