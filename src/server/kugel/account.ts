/** What a key stands for on the local server (`contract.md`, "Keys on the local server"). */
export type Account = {
  /** The charge can be told; otherwise `cost_cents` is null and `cost_unavailable` true. */
  priced: boolean;
};
