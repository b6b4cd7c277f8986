/** A person as shown in lists. */
export type ShownPerson = {
  /** Determines the color of the avatar. */
  id: string;
  /** Empty if unknown. */
  name: string;
  /** Empty if the person has no address or the caller may not see it. */
  email: string;
};
