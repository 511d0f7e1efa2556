export const NominationPage = () => null;
