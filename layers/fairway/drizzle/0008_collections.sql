-- Nothing of the platform; what was here belongs to the sample application.
select 1;
