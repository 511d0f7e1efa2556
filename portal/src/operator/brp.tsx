export const BrpPage = () => null;
