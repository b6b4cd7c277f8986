/** Somebody as lists show them (person-element.ts). */
export type ShownPerson = {
  /** Gives the picture its colour. */
  id: string;
  /** Empty where nobody knows it. */
  name: string;
  /** Empty for what is no person, or is not told. */
  email: string;
};
